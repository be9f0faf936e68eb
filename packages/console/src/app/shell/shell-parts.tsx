/** What opens over a screen: fetched when first opened, or ahead of that while nothing else is to do. */
import { CONSOLE_KINDS } from '../../kinds/kinds.ts';
import { fetchCode } from '../../platform/code/fetch-code.ts';
import { loadWords } from '../../platform/i18n/words.ts';
import { kindRows } from '../../shared/kinds/kinds-context.tsx';

export const loadPalette = async () => {
  const [file, ofKinds] = await Promise.all([
    fetchCode(() => import('./palette.tsx')),
    Promise.all(
      kindRows(CONSOLE_KINDS).map(async ({ kind, row: { palette } }) =>
        palette ? [{ kind, ...(await palette()) }] : [],
      ),
    ),
    loadWords(['palette']),
  ]);
  const kinds = ofKinds.flat();
  // biome-ignore lint/correctness/noComponentHookFactories: shown once, when its files have arrived
  const Palette = (props: { open: boolean; onClose: () => void }) => <file.Palette {...props} kinds={kinds} />;
  return { Palette };
};
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
