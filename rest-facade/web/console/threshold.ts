import type { DetectionDetails, ScoreAnswer } from '../../../sdk/typescript/rest-answers.js';
import { type ApiRequest, describeProblem, send } from './api.js';
import { byId } from './dom.js';
import type { RequestView } from './request-view.js';

/** How long the slider rests before the picture is asked about again. */
const restMs = 150;
/** A score can have six decimals. */
const decimals = { minimumFractionDigits: 3, maximumFractionDigits: 6 };

/**
 * The threshold of detections: the slider, and the score of a company.
 * @param onChange the threshold is another one: asks about the picture again
 */
export function connectThreshold(view: RequestView, apiKey: () => string, onChange: () => void) {
  const slider = byId('score', HTMLInputElement);
  const value = byId('score-value', HTMLOutputElement);
  const source = byId('score-source', HTMLElement);
  const reset = byId('reset-score', HTMLButtonElement);
  const save = byId('save-score', HTMLButtonElement);
  const form = byId('company-form', HTMLFormElement);
  const company = byId('company', HTMLInputElement);
  const password = byId('password', HTMLInputElement);
  const companyStatus = byId('company-status', HTMLElement);
  /** As it is shown; the slider has only its own steps. */
  let shown: number | undefined;
  let wish: number | undefined;
  let timer: number | undefined;

  const place = (score: number) => {
    shown = score;
    slider.value = String(score);
    value.textContent = score.toLocaleString('en', decimals);
    save.disabled = false;
  };
  // Not in the page: a browser may bring back a button as it was before a reload.
  save.disabled = true;

  slider.addEventListener('input', () => {
    wish = Number(slider.value);
    place(wish);
    reset.hidden = false;
    source.textContent = 'For this request only; not saved.';
    clearTimeout(timer);
    timer = setTimeout(onChange, restMs);
  });
  const forget = () => {
    wish = undefined;
    reset.hidden = true;
    onChange();
  };
  reset.addEventListener('click', () => {
    forget();
    slider.focus();
  });
  company.addEventListener('change', () => {
    companyStatus.textContent = '';
    forget();
  });

  const configure = async (method: 'GET' | 'PUT') => {
    const path = `/v1/companies/${encodeURIComponent(company.value)}/detection-score`;
    const body = method === 'PUT' ? { json: { detection_score: shown } } : {};
    const request: ApiRequest = { method, path, password: password.value, ...body };
    view.showRequest(request);
    try {
      const answer = await send(request, apiKey());
      view.showAnswer(request, answer);
      const { company: name, detection_score: score } = answer as ScoreAnswer;
      companyStatus.textContent = `${method === 'PUT' ? 'Saved: the' : 'The'} threshold of ${name} is ${score}.`;
      companyStatus.className = 'good';
      // From now on the company's own score decides, as for every other request that names it.
      place(score);
      forget();
    } catch (error) {
      view.showProblem(request, error);
      companyStatus.textContent = describeProblem(error);
      companyStatus.className = 'bad';
    }
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void configure('PUT');
  });
  byId('show-score', HTMLButtonElement).addEventListener('click', () => {
    if (form.reportValidity()) void configure('GET');
  });

  return {
    read(): [name: string, value: string][] {
      const fields: [string, string][] = [];
      if (company.value !== '') fields.push(['company', company.value]);
      if (wish !== undefined) fields.push(['min_score', String(wish)]);
      return fields;
    },
    /** Shows which threshold a detection used. */
    show(threshold: DetectionDetails['threshold']): void {
      if (threshold === undefined || wish !== undefined) return;
      place(threshold.value);
      source.textContent =
        threshold.source === 'company'
          ? `The threshold of ${company.value}. Move it to try another value.`
          : "The service's default. Move it to try another value.";
    },
  };
}
