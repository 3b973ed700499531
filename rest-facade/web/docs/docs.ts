/** What the script of swagger-ui-dist defines. */
declare const SwaggerUIBundle: (options: Readonly<Record<string, unknown>>) => unknown;

// Follows the reader's colour scheme; the viewer itself knows a class only.
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: false,
  // No badge: it would send the document's address to another host.
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
});
