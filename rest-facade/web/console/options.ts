import { type Mode, pathOf } from './api.js';
import { byId, codeText, html } from './dom.js';

interface FieldSchema {
  readonly type?: string;
  readonly description?: string;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly items?: { readonly oneOf?: readonly { const: string; description: string }[] };
}

interface Form {
  readonly properties: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
}

/** Fields that have a place of their own on the page. */
const elsewhere: ReadonlySet<string> = new Set(['min_score', 'company']);

/** What a box is at first, and what the service takes an absent field for. */
const checkedAtFirst: ReadonlySet<string> = new Set(['crop', 'landmarks', 'details']);
const trueWhenAbsent: ReadonlySet<string> = new Set(['crop']);

/** What is read here of the service's own OpenAPI document. */
interface ServiceDocument {
  readonly paths: Readonly<Record<string, { post?: { requestBody: { content: Record<string, { schema: Form }> } } }>>;
  readonly components?: { readonly schemas: Readonly<Record<string, Form>> };
}

/**
 * The optional fields of the operations, as the service's own document lists them. Shows nothing until the document is
 * there; the page works without it.
 * @param onChange they are others than at the last request
 * @param note says that they could not be loaded
 */
export function connectOptions(onChange: () => void, note: (text: string) => void) {
  const place = byId('options', HTMLElement);
  place.addEventListener('change', onChange);
  let service: ServiceDocument = { paths: {} };
  let mode: Mode = 'all';
  let shown: { name: string; input: HTMLInputElement }[] = [];
  /** Also of modes that are not shown, so that what was filled in is there again. */
  const inputs = new Map<string, HTMLInputElement>();

  const formOf = (path: string): Form | undefined =>
    service.paths[path]?.post?.requestBody.content['multipart/form-data']?.schema;
  const show = () => {
    const form = formOf(pathOf[mode]);
    shown = Object.entries(form?.properties ?? {})
      .filter(([name]) => !elsewhere.has(name) && !form?.required?.includes(name))
      .map(([name, schema]) => ({ name, input: inputs.get(name) ?? createInput(name, schema) }));
    for (const { name, input } of shown) inputs.set(name, input);
    place.replaceChildren(...shown.map(({ name, input }) => describe(name, input, form?.properties[name])));
    byId('options-panel', HTMLDetailsElement).hidden = shown.length === 0;
  };

  void loadDocument().then(
    (loaded) => {
      service = loaded;
      show();
      onChange();
    },
    () => note('The options could not be loaded. Reload the page to try again.'),
  );

  return {
    show(wanted: Mode): void {
      mode = wanted;
      show();
    },
    /** What was filled in, as far as the operation at this path knows it. */
    read: (path: string): [name: string, value: string][] =>
      shown.flatMap(({ name, input }): [string, string][] => {
        if (!(name in (formOf(path)?.properties ?? {}))) return [];
        if (input.type !== 'checkbox') return input.value === '' ? [] : [[name, input.value]];
        return input.checked === trueWhenAbsent.has(name) ? [] : [[name, String(input.checked)]];
      }),
    /** The most files that the operation at this path takes in one request. */
    maxFiles: (path: string): number => formOf(path)?.properties['file']?.maxItems ?? Number.MAX_SAFE_INTEGER,
    /** What a warning of a reading means; the warning itself if the document does not say it. */
    meaningOf: (warning: string): string => {
      const { warnings } = service.components?.schemas['ReadMeterResponse']?.properties ?? {};
      return warnings?.items?.oneOf?.find((one) => one.const === warning)?.description ?? warning;
    },
  };
}

/** Rejects also where something other than the service answers. */
async function loadDocument(): Promise<ServiceDocument> {
  const loaded = (await (await fetch('openapi.json')).json()) as Partial<ServiceDocument>;
  if (loaded.paths === undefined) throw new Error('this is no OpenAPI document');
  return { ...loaded, paths: loaded.paths };
}

function createInput(name: string, { type }: FieldSchema): HTMLInputElement {
  if (type === 'boolean') {
    const input = html('input', { type: 'checkbox' });
    input.checked = checkedAtFirst.has(name);
    return input;
  }
  // A number input hides what it cannot parse, such as a decimal comma; the service refuses it by name. The keys that an
  // iPhone shows for decimals have a comma in place of the point in half the world.
  const inputmode = type === 'integer' ? 'numeric' : 'text';
  return html('input', { type: 'text', inputmode, autocapitalize: 'none' });
}

function describe(name: string, input: HTMLInputElement, schema: FieldSchema | undefined): HTMLElement {
  const help = html('small', { class: 'quiet', id: `about-${name}` }, ...codeText(schema?.description ?? ''));
  input.setAttribute('aria-describedby', help.id);
  const words = name.replaceAll('_', ' ');
  const title = `${words.charAt(0).toUpperCase()}${words.slice(1)} `;
  const text = html('span', {}, title, html('code', { class: 'quiet' }, name));
  const label =
    input.type === 'checkbox' ? html('label', { class: 'check' }, input, text) : html('label', {}, text, input);
  const [, allowed] = /^\^\(([\w|]+)\)\?\$$/.exec(schema?.pattern ?? '') ?? [];
  if (allowed === undefined) return html('div', { class: 'option' }, label, help);
  const choices = allowed.split('|').map((value) => html('option', { value }));
  input.setAttribute('list', `values-of-${name}`);
  return html('div', { class: 'option' }, label, html('datalist', { id: `values-of-${name}` }, ...choices), help);
}
