import { addressOf, type ApiRequest, Refusal, splitFiles } from './api.js';
import { byId, html } from './dom.js';

/** Longer texts, pictures in base64, are shown by their beginning. */
const longestText = 96;
/** Longer responses too: those of thousands of faces are more elements than a browser takes at once. */
const longestShown = 100_000;

export type RequestView = ReturnType<typeof createRequestView>;

/** Shows a request as a curl command and, always beside its own, the response as JSON. */
export function createRequestView() {
  const curl = byId('curl', HTMLPreElement);
  const json = byId('json', HTMLPreElement);
  const copyCurl = createCopyButton('copy-curl');
  const copyAnswer = createCopyButton('copy-answer');
  const show = (command: string, body: unknown, without: string): void => {
    copyCurl(command);
    curl.textContent = command || 'No request yet.';
    copyAnswer(JSON.stringify(body, null, 2) ?? '');
    const text = JSON.stringify(body, shorten, 2) ?? without;
    const rest = text.length > longestShown ? '\n… Copy or save it to see the rest.' : '';
    json.replaceChildren(...colour(text.slice(0, longestShown)), rest);
  };
  return {
    showRequest: (request: ApiRequest): void => show(toCurl(request), undefined, 'No response yet.'),
    showAnswer: (request: ApiRequest, body: unknown): void => show(toCurl(request), body, 'No response.'),
    showProblem(request: ApiRequest, error: unknown): void {
      this.showAnswer(request, error instanceof Refusal ? error.body : undefined);
    },
    clear: (): void => show('', undefined, 'No response yet.'),
  };
}

/** A request for a POSIX shell, with its secrets in variables. */
function toCurl(request: ApiRequest): string {
  return splitFiles(request).map(toCommand).join('\n');
}

function toCommand({ method, path, form, json, password }: ApiRequest): string {
  const parts = ['curl -H "apikey: $APIKEY"'];
  if (password !== undefined) parts.push('-H "x-company-password: $PASSWORD"');
  if (method === 'PUT') parts.push('-X PUT');
  if (json !== undefined) parts.push(`-H 'content-type: application/json' -d ${quote(JSON.stringify(json))}`);
  for (const [name, value] of form ?? [])
    parts.push(`-F ${quote(`${name}=${typeof value === 'string' ? value : `@${toCurlFile(value.name)}`}`)}`);
  return [...parts, quote(addressOf(path))].join(' \\\n  ');
}

/**
 * curl takes `;` and `,` in a file name as its own unless it is quoted. Of what a terminal would obey, or show in
 * another order, nothing is pasted into one.
 */
function toCurlFile(name: string): string {
  const visible = name.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '?');
  return /^[\w./-]+$/.test(visible) ? visible : `"${visible.replaceAll(/["\\]/g, '\\$&')}"`;
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A button that is shown while there is something to copy. @returns sets what it copies */
function createCopyButton(id: string): (text: string) => void {
  const button = byId(id, HTMLButtonElement);
  let copied = '';
  button.addEventListener('click', () => void copy(button, copied));
  return (text) => {
    copied = text;
    button.hidden = text === '';
  };
}

async function copy(button: HTMLButtonElement, text: string): Promise<void> {
  const label = button.firstChild;
  if (label === null) return;
  try {
    await navigator.clipboard.writeText(text);
    label.textContent = 'Copied';
  } catch {
    label.textContent = 'Copy blocked';
  }
  setTimeout(() => (label.textContent = 'Copy'), 1500);
}

function shorten(_name: string, value: unknown): unknown {
  return typeof value === 'string' && value.length > longestText
    ? `${value.slice(0, 40)}… (${value.length} characters)`
    : value;
}

/** Names, texts and numbers of a JSON text, each in a colour of its own. */
function colour(text: string): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let end = 0;
  for (const match of text.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|true|false|null/g)) {
    parts.push(text.slice(end, match.index));
    const kind = match[2] !== undefined ? 'name' : match[1] !== undefined ? 'text' : 'number';
    parts.push(html('span', { class: kind }, match[0]));
    end = match.index + match[0].length;
  }
  return [...parts, text.slice(end)];
}
