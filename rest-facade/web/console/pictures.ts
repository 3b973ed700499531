import { byId } from './dom.js';

/** Takes pictures that are chosen, dropped anywhere on the page, or pasted. */
export function connectPictures(onPicture: (file: File) => void): void {
  const input = byId('file', HTMLInputElement);
  input.addEventListener('change', () => {
    const [file] = input.files ?? [];
    // The same file may be chosen again.
    input.value = '';
    if (file) onPicture(file);
  });

  const canvas = byId('canvas', HTMLElement);
  addEventListener('dragover', (event) => {
    event.preventDefault();
    canvas.classList.add('over');
  });
  addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) canvas.classList.remove('over');
  });
  addEventListener('drop', (event) => {
    event.preventDefault();
    canvas.classList.remove('over');
    const [file] = event.dataTransfer?.files ?? [];
    if (file) onPicture(file);
  });
  addEventListener('paste', (event) => {
    const [file] = event.clipboardData?.files ?? [];
    if (file) onPicture(file);
  });
}
