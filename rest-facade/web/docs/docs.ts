import { keyName, storage } from '../console/api.js';

/** What the script of swagger-ui-dist defines. */
declare const SwaggerUIBundle: (options: Readonly<Record<string, unknown>>) => {
  preauthorizeApiKey(scheme: string, key: string): unknown;
};

// Follows the reader's colour scheme; the viewer itself knows a class only.
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

type Props = Readonly<Record<string, unknown>>;
type Wrap = (
  original: unknown,
  viewer: { readonly React: { createElement(component: unknown, props: Props): unknown } },
) => (props: Props) => unknown;

/** A component of the viewer with some of its properties changed. */
const withProps =
  (change: (props: Props) => Props): Wrap =>
  (original, { React }) =>
  (props) =>
    React.createElement(original, { ...props, ...change(props) });

/**
 * Leaves optional fields of a form empty, and out of the request, until they are filled in. The viewer
 * would send the example of each of them, and a company of that name and that meter are not the reader's.
 */
const emptyOptionalFields = {
  wrapComponents: {
    JsonSchemaForm: withProps(({ required, dispatchInitialValue }) => ({
      // Only form fields set this.
      dispatchInitialValue: dispatchInitialValue === true ? required : dispatchInitialValue,
    })),
    ParameterIncludeEmpty: withProps(({ isIncludedOptions }) => ({
      isIncludedOptions: { ...(isIncludedOptions as Props | undefined), defaultValue: false },
    })),
  },
};

/** Does something else before an action of the viewer. */
const before =
  (act: (payload: { readonly apiKey?: { readonly value: string } }) => void) =>
  (original: (payload: object) => unknown) =>
  (payload: object) => {
    act(payload);
    return original(payload);
  };

/** Takes an emptied parameter for an empty text, which its pattern may allow; the viewer would test `null`. */
const emptyParameters = {
  statePlugins: {
    spec: {
      wrapActions: {
        changeParamByIdentity:
          (original: (...given: unknown[]) => unknown) =>
          (path: unknown, parameter: unknown, value: unknown, ...more: unknown[]) =>
            original(path, parameter, value ?? '', ...more),
      },
    },
  },
};

/** The key is the console's, in this tab only: entered here it is known there, and the other way round. */
const sharedKey = {
  statePlugins: {
    auth: {
      wrapActions: {
        authorize: before(({ apiKey }) => storage?.setItem(keyName, apiKey?.value ?? '')),
        logout: before(() => storage?.removeItem(keyName)),
      },
    },
  },
};

const viewer = SwaggerUIBundle({
  url: new URL('openapi.json', document.baseURI).href,
  dom_id: '#reference',
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: false,
  plugins: [emptyOptionalFields, emptyParameters, sharedKey],
  onComplete() {
    const key = storage?.getItem(keyName);
    if (key) viewer.preauthorizeApiKey('apiKey', key);
  },
  // No badge: it would send the document's address to another host.
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
});
