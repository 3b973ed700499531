import js from '@eslint/js';
import importSort from 'eslint-plugin-simple-import-sort';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'generated/',
      'node_modules/',
      'models/.venv/',
      'out/',
      'data/',
      'bench/peers/*/.venv/',
      'sdk/{python,go,java,rust,csharp}/',
      'sdk/typescript/package/',
    ],
  },
  js.configs.recommended,
  ...tseslint.configs.recommendedTypeChecked,
  {
    plugins: { 'import-sort': importSort },
    rules: {
      // One block: what a module needs, Node.js and libraries first, then the nearer the later.
      'import-sort/imports': ['error', { groups: [['^\\u0000', '^node:', '^@?\\w', '^', '^\\.\\.', '^\\.']] }],
      'import-sort/exports': 'error',
    },
  },
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': [
        'error',
        { allowForKnownSafeCalls: ['test', 'it', 'describe', 'suite'] },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      // `import { type A }` still loads the module, in each worker too.
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  {
    files: ['**/grpc-js-patches/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: 'AssignmentExpression[left.type="MemberExpression"][right.type=/FunctionExpression$/]',
          message:
            'give it a name first: V8 makes a function that is written where it is assigned among old objects, ' +
            'and keeps the call and the picture that it belongs to until the next full collection',
        },
      ],
    },
  },
  { files: ['**/*.{js,mjs}'], ...tseslint.configs.disableTypeChecked },
  { files: ['bench/peers/**/*.mjs'], languageOptions: { globals: { process: 'readonly', Buffer: 'readonly' } } },
);
