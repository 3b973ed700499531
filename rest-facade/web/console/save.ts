import { Refusal } from './api.js';
import { byId, html } from './dom.js';

export function save(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  html('a', { href: address, download: name }).click();
  // Once the download has begun.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** The picture with what is drawn on it, as PNG at the size of the drawing. Rejects with a Refusal. */
export async function annotate(): Promise<Blob> {
  const picture = byId('picture', HTMLImageElement);
  if (picture.naturalWidth === 0) {
    const message = 'Your browser cannot display this picture, so it cannot be saved with its boxes.';
    throw new Refusal('NOT_DISPLAYED', message);
  }
  const overlay = byId('overlay', SVGSVGElement);
  const { width, height } = overlay.viewBox.baseVal;
  const canvas = html('canvas', { width, height });
  const context = canvas.getContext('2d');
  context?.drawImage(picture, 0, 0, width, height);
  context?.drawImage(await toImage(overlay, width, height), 0, 0);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the picture cannot be drawn')))),
  );
}

/** An SVG file has no style sheet: each element takes along how it looks here. */
async function toImage(overlay: SVGSVGElement, width: number, height: number): Promise<HTMLImageElement> {
  const copy = overlay.cloneNode(true) as SVGSVGElement;
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  const copies = copy.querySelectorAll('*');
  overlay.querySelectorAll('*').forEach((element, index) => {
    const looks = getComputedStyle(element);
    for (const name of properties) copies[index]?.setAttribute(name, looks.getPropertyValue(name));
  });
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  await image.decode();
  return image;
}

const properties = [
  ...['fill', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-linejoin', 'paint-order'],
  ...['font-family', 'font-size', 'font-weight', 'text-anchor', 'visibility'],
];
