import { byId } from './dom.js';

/**
 * Takes pictures that are chosen, dropped anywhere on the page, or pasted.
 * @param note says what was not taken, and why
 */
export function connectPictures(onPicture: (file: File) => void, note: (text: string) => void): void {
  const take = ([file, ...others]: Iterable<File>) => {
    if (file === undefined) return;
    onPicture(file);
    if (others.length > 0) note(`One picture at a time: this is ${file.name}.`);
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
