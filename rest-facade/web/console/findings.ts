import type { DetectedFace, MeterAnswer } from '../../../sdk/typescript/rest-answers.js';
import { codeText, floor, html, toPercent } from './dom.js';
import { highlight } from './overlay.js';

/** The faces as a list of crops with scores; pointing at one marks its box. */
export function listFaces(faces: readonly DetectedFace[]): HTMLElement {
  const list = html('ol', { class: 'faces' });
  faces.forEach(({ bbox, detection_score: score, face }, index) => {
    const size = `${Math.round(bbox.xmax - bbox.xmin)} × ${Math.round(bbox.ymax - bbox.ymin)} px`;
    const button = html('button', { type: 'button' });
    if (face !== undefined) button.append(html('img', { src: `data:image/jpeg;base64,${face}`, alt: '' }));
    button.append(
      html('span', { class: 'hidden' }, `Face ${index + 1}, score `),
      html('strong', {}, floor(Number(score), 3)),
      html('small', {}, size),
    );
    pointOut(button, index);
    list.append(html('li', {}, button));
  });
  return list;
}

/**
 * A reading as wheels, each with its confidence; pointing at one marks its digit.
 * @param meaningOf what a warning means
 */
export function showReading(reading: MeterAnswer, meaningOf: (warning: string) => string): HTMLElement {
  const whole = reading.value.includes('.') ? reading.value.indexOf('.') : reading.digits.length;
  const wheels = html('ol', { class: 'wheels', 'aria-label': 'Digits' });
  reading.digits.forEach(({ digit, confidence }, index) => {
    const percent = toPercent(confidence);
    const wheel = html(
      'button',
      { type: 'button' },
      html('b', {}, digit),
      html('meter', { min: 0, max: 1, low: 0.9, optimum: 1, value: confidence, 'aria-hidden': 'true' }),
      html('small', {}, percent),
      html('span', { class: 'hidden' }, index >= whole ? 'confidence, fraction' : 'confidence'),
    );
    pointOut(wheel, index);
    wheels.append(html('li', index >= whole ? { class: 'fraction' } : {}, wheel));
  });
  const isSure = reading.status === 'ok';
  const badge = html('p', { class: isSure ? 'badge good' : 'badge doubt' }, isSure ? 'OK' : 'Needs review');
  const warnings = reading.warnings.map((warning) => html('li', {}, ...codeText(meaningOf(warning))));
  const list = warnings.length > 0 ? [html('ul', { class: 'warnings' }, ...warnings)] : [];
  return html('div', {}, wheels, badge, ...list);
}

function pointOut(element: HTMLElement, index: number): void {
  for (const event of ['mouseenter', 'focus']) element.addEventListener(event, () => highlight(index));
  for (const event of ['mouseleave', 'blur']) element.addEventListener(event, () => highlight(undefined));
}
