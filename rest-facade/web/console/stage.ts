import { byId } from './dom.js';

/** How far one can zoom in. */
const maxZoom = 8;

/** The stage, with the picture that questions are about. @param note says what the browser cannot show */
export function connectStage(note: (text: string) => void) {
  const figure = byId('figure', HTMLElement);
  const picture = byId('picture', HTMLImageElement);
  const empty = byId('empty', HTMLElement);
  const zoom = byId('zoom', HTMLElement);
  const fit = connectZoom();
  let file: File | undefined;

  const show = (isShown: boolean): void => {
    figure.hidden = zoom.hidden = !isShown;
    empty.hidden = isShown;
  };
  picture.addEventListener('error', () => {
    show(false);
    note(`Your browser can't display ${file?.name}; the service may still read it.`);
  });

  return {
    get file() {
      return file;
    },
    /** Of the picture's file, without folder and extension. */
    get name() {
      return (file?.name ?? 'picture').replace(/^.*\//, '').replace(/\.\w+$/, '');
    },
    place(chosen: File): void {
      file = chosen;
      note('');
      if (picture.src.startsWith('blob:')) URL.revokeObjectURL(picture.src);
      picture.src = URL.createObjectURL(chosen);
      picture.alt = `The picture ${chosen.name}`;
      show(true);
      fit();
    },
    /** Resolves once the picture can be drawn on, or cannot be shown at all. */
    decoded: (): Promise<void> => picture.decode().catch(() => {}),
  };
}

/**
 * Zooms by buttons, by pinching, or by the wheel with Ctrl, around the pointer; dragging and scrolling pan.
 * @returns fits the picture in again
 */
function connectZoom(): () => void {
  const canvas = byId('canvas', HTMLElement);
  const picture = byId('picture', HTMLImageElement);
  let zoom = 1;
  let fitted = 0;

  /** @param at of the window: what is there stays there; the middle of the canvas by default */
  const zoomTo = (wanted: number, at = middleOf(canvas)) => {
    const before = picture.getBoundingClientRect();
    if (zoom === 1) fitted = before.width;
    zoom = Math.min(maxZoom, Math.max(1, wanted));
    // What is scrolled by mouse can be by keyboard.
    canvas.tabIndex = zoom === 1 ? -1 : 0;
    picture.style.cssText = zoom === 1 ? '' : `width: ${fitted * zoom}px; max-width: none; max-height: none`;
    const after = picture.getBoundingClientRect();
    const [x, y] = [(at.x - before.left) / before.width, (at.y - before.top) / before.height];
    canvas.scrollBy(after.left + x * after.width - at.x, after.top + y * after.height - at.y);
  };

  byId('zoom-in', HTMLButtonElement).addEventListener('click', () => zoomTo(zoom * 1.5));
  byId('zoom-out', HTMLButtonElement).addEventListener('click', () => zoomTo(zoom / 1.5));
  canvas.addEventListener(
    'wheel',
    (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoomTo(zoom * Math.exp(-event.deltaY / 200), event);
    },
    { passive: false },
  );
  canvas.addEventListener('pointermove', (event) => {
    if (event.buttons === 1 && event.pointerType === 'mouse') canvas.scrollBy(-event.movementX, -event.movementY);
  });
  return () => zoomTo(1);
}

function middleOf(element: Element): { readonly x: number; readonly y: number } {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2 };
}
