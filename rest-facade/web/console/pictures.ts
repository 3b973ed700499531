import { byId, html } from './dom.js';

/**
 * Takes pictures that are chosen, dropped anywhere on the page, or pasted. Of several, the first is shown, and all
 * are in a strip to choose from.
 * @param note says what was not taken, and why
 */
export function connectPictures(onPicture: (file: File) => void, note: (text: string) => void): void {
  const strip = byId('strip', HTMLElement);
  const take = (files: Iterable<File>) => {
    const buttons = [...files].map((file) => createThumbnail(file, onPicture));
    if (buttons.length === 0) return;
    for (const { src } of strip.querySelectorAll('img')) URL.revokeObjectURL(src);
    strip.replaceChildren(...buttons);
    strip.hidden = buttons.length < 2;
    buttons[0]?.click();
  };

  const input = byId('file', HTMLInputElement);
  input.addEventListener('change', () => {
    const files = [...(input.files ?? [])];
    // The same file may be chosen again.
    input.value = '';
    take(files);
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
    const files = event.dataTransfer?.files ?? [];
    if (files.length === 0) note("That isn't a file. Save the picture first, then drop it here.");
    take(files);
  });
  addEventListener('paste', (event) => take(event.clipboardData?.files ?? []));
}

function createThumbnail(file: File, onPicture: (file: File) => void): HTMLButtonElement {
  const image = html('img', { src: URL.createObjectURL(file), alt: file.name });
  const button = html('button', { type: 'button', title: file.name }, image);
  button.addEventListener('click', () => {
    for (const other of button.parentElement?.children ?? []) other.removeAttribute('aria-current');
    button.setAttribute('aria-current', 'true');
    onPicture(file);
  });
  return button;
}
