/** Runs before each test file of a shared worker: what the file before it loaded, stored or left on the page is gone. */
import { vi } from 'vitest';

vi.resetModules();

if (typeof document !== 'undefined') {
  localStorage.clear();
  sessionStorage.clear();
  document.title = '';
  document.body.replaceChildren();
  for (const { name } of [...document.documentElement.attributes]) document.documentElement.removeAttribute(name);
}
