import { byId } from './dom.js';

const most = 8;

/**
 * Zooms by buttons, by pinching, or by the wheel with Ctrl, around the pointer; dragging and scrolling pan.
 * @returns fits the picture in again
 */
export function connectZoom(): () => void {
  const canvas = byId('canvas', HTMLElement);
  const picture = byId('picture', HTMLImageElement);
  let zoom = 1;
  let fitted = 0;

  const zoomTo = (wanted: number, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) => {
    if (zoom === 1) fitted = picture.clientWidth;
    const next = Math.min(most, Math.max(1, wanted));
    const factor = next / zoom;
    zoom = next;
    picture.style.cssText = zoom === 1 ? '' : `width: ${fitted * zoom}px; max-width: none; max-height: none`;
    canvas.scrollTo((canvas.scrollLeft + x) * factor - x, (canvas.scrollTop + y) * factor - y);
  };

  byId('zoom-in', HTMLButtonElement).addEventListener('click', () => zoomTo(zoom * 1.5));
  byId('zoom-out', HTMLButtonElement).addEventListener('click', () => zoomTo(zoom / 1.5));
  canvas.addEventListener(
    'wheel',
    (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      const { left, top } = canvas.getBoundingClientRect();
      zoomTo(zoom * Math.exp(-event.deltaY / 200), event.clientX - left, event.clientY - top);
    },
    { passive: false },
  );
  canvas.addEventListener('pointermove', (event) => {
    if (event.buttons === 1 && event.pointerType === 'mouse') canvas.scrollBy(-event.movementX, -event.movementY);
  });
  picture.draggable = false;
  return () => zoomTo(1);
}
