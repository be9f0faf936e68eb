/** What opens over a screen: fetched when first opened, or ahead of that while nothing else is to do. */
import { fetchCode } from '../../platform/code/fetch-code.ts';
import { loadWords } from '../../platform/i18n/words.ts';

export const loadPalette = () => fetchCode(() => import('./palette.tsx'));
export const loadKeysDialog = async () => {
  const [file] = await Promise.all([fetchCode(() => import('./keys-dialog.tsx')), loadWords(['terminal', 'player'])]);
  return file;
};
export const loadWhyDialog = async () => {
  const [file] = await Promise.all([
    fetchCode(() => import('../../shared/access-questions/why-dialog.tsx')),
    loadWords(['access']),
  ]);
  return file;
};

export function loadShellParts(): Promise<unknown> {
  return Promise.all([loadPalette(), loadKeysDialog(), loadWhyDialog()]);
}
