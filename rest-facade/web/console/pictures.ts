import { byId, html } from './dom.js';

/**
 * Takes pictures that are chosen, dropped anywhere on the page, or pasted. Of several, the first is shown, and all
 * are in a strip to choose from.
 * @param note says what was not taken, and why
 */
export function connectPictures(onPicture: (file: File) => void, note: (text: string) => void) {
  const strip = byId('strip', HTMLElement);
  let files: readonly File[] = [];
  const mark = (index: number) => {
    for (const button of strip.children) button.removeAttribute('aria-current');
    strip.children[index]?.setAttribute('aria-current', 'true');
  };
  const take = (taken: Iterable<File>) => {
    const list = [...taken];
    const [first] = list;
    if (first === undefined) return;
    for (const { src } of strip.querySelectorAll('img')) URL.revokeObjectURL(src);
    files = list;
    strip.replaceChildren(
      ...files.map((file, index) => {
        const button = createThumbnail(file);
        button.addEventListener('click', () => {
          mark(index);
          onPicture(file);
        });
        return button;
      }),
    );
    byId('several', HTMLElement).hidden = files.length < 2;
    mark(0);
    onPicture(first);
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
    const dropped = event.dataTransfer?.files ?? [];
    take(dropped);
    if (dropped.length === 0) note("That isn't a file. Save the picture first, then drop it here.");
  });
  addEventListener('paste', ({ target, clipboardData }) => {
    // Cells of a spreadsheet come with a picture of them.
    const isText = target instanceof HTMLInputElement && clipboardData?.types.includes('text/plain');
    if (!isText) take(clipboardData?.files ?? []);
  });
  return {
    take,
    files: () => files,
    mark,
    /** Says below a picture what was found in it. */
    caption(index: number, text: string, isGood: boolean): void {
      const caption = strip.children[index]?.querySelector('small');
      caption?.replaceChildren(text);
      caption?.setAttribute('class', isGood ? 'good' : 'doubt');
    },
    clearCaptions(): void {
      for (const caption of strip.querySelectorAll('small')) caption.replaceChildren();
    },
  };
}

function createThumbnail(file: File): HTMLButtonElement {
  // Of thousands, only those in view are read. Set before the address, which starts that.
  const image = html('img', { loading: 'lazy', src: URL.createObjectURL(file), alt: file.name });
  return html('button', { type: 'button', title: file.name }, image, html('small'));
}
