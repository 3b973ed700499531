/** An element that the page has; its type is checked, so that a renamed id is found at once. */
export function byId<T extends Element>(id: string, type: abstract new () => T): T {
  const element = document.getElementById(id);
  if (element instanceof type) return element;
  throw new Error(`the page has no ${type.name} with the id ${id}`);
}

type Attributes = Readonly<Record<string, string | number>>;
type Children = readonly (Node | string)[];

/** Makes an HTML element with attributes and children; text is never parsed as HTML. */
export const html = <K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: Children
): HTMLElementTagNameMap[K] => fill(document.createElement(name), attributes, children);

/** The same for SVG. */
export const svg = <K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: Children
): SVGElementTagNameMap[K] => fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);

function fill<E extends Element>(element: E, attributes: Attributes, children: Children): E {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/** A text with `code` in it. */
export function codeText(text: string): (Node | string)[] {
  return text.split('`').map((part, index) => (index % 2 === 0 ? part : html('code', {}, part)));
}

/** A score or confidence never looks better than it is: 0.9996 is not 1. */
export function floor(value: number, decimals: number): string {
  const scale = 10 ** decimals;
  // 0.29 * 100 is a little less than 29.
  return (Math.floor(value * scale + 1e-9) / scale).toFixed(decimals);
}

/** A share in percent, rounded down; from 99 on with a decimal, since 0.9999 is more than 99 %. */
export function toPercent(share: number): string {
  return `${floor(share * 100, share > 0.99 && share < 1 ? 1 : 0)}%`;
}
