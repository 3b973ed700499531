import { keyName, storage } from './api.js';
import { byId } from './dom.js';

/** The key of the requests. @param onChange another one was entered */
export function connectKey(onChange: () => void) {
  const input = byId('key', HTMLInputElement);
  const panel = byId('key-panel', HTMLDetailsElement);
  const state = byId('key-state', HTMLElement);
  const showState = () => (state.textContent = storage?.getItem(keyName) ? 'kept in this tab' : '');

  byId('key-form', HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault();
    input.value = input.value.trim();
    storage?.setItem(keyName, input.value);
    showState();
    onChange();
  });
  const kept = storage?.getItem(keyName) ?? '';
  // Not over what was typed while this script was loaded.
  if (kept !== '' && input.value === '') {
    input.value = kept;
    showState();
  }

  return {
    value: () => input.value,
    close(): void {
      const summary = panel.querySelector('summary');
      // It would be lost with what is hidden.
      if (panel.contains(document.activeElement)) summary?.focus({ preventScroll: true });
      panel.open = false;
    },
    /** It is missing or wrong. */
    askForAnother(): void {
      state.textContent = '';
      panel.open = true;
      input.focus();
    },
  };
}
