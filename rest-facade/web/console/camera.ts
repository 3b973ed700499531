import { byId, html } from './dom.js';

/** Lets the camera take a picture; `onPicture` gets it as a JPEG file. */
export function connectCamera(onPicture: (file: File) => void): void {
  const dialog = byId('camera', HTMLDialogElement);
  const video = byId('video', HTMLVideoElement);
  const problem = byId('camera-problem', HTMLElement);
  const shoot = byId('shoot', HTMLButtonElement);

  const open = async () => {
    problem.hidden = true;
    shoot.disabled = true;
    dialog.showModal();
    const closed = new AbortController();
    dialog.addEventListener('close', () => closed.abort(), { once: true });
    try {
      const media = navigator.mediaDevices as MediaDevices | undefined;
      if (media === undefined) throw new Error('Camera access needs HTTPS or localhost.');
      const stream = await media.getUserMedia({
        video: { facingMode: 'environment', width: { ideal: 1920 }, height: { ideal: 1080 } },
      });
      const stop = () => {
        for (const track of stream.getTracks()) track.stop();
      };
      // Closed while the browser asked for permission, and maybe opened again.
      if (closed.signal.aborted) return stop();
      closed.signal.addEventListener('abort', stop);
      video.srcObject = stream;
      await video.play();
      shoot.disabled = false;
    } catch (error) {
      if (closed.signal.aborted) return;
      problem.textContent = `The camera cannot be used: ${(error as Error).message}`;
      problem.hidden = false;
    }
  };

  byId('open-camera', HTMLButtonElement).addEventListener('click', () => void open());
  byId('close-camera', HTMLButtonElement).addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => (video.srcObject = null));
  shoot.addEventListener('click', () => {
    const canvas = html('canvas', { width: video.videoWidth, height: video.videoHeight });
    canvas.getContext('2d')?.drawImage(video, 0, 0);
    const take = (blob: Blob | null) => {
      dialog.close();
      if (blob) onPicture(new File([blob], 'camera.jpg', { type: 'image/jpeg' }));
    };
    canvas.toBlob(take, 'image/jpeg', 0.92);
  });
}
