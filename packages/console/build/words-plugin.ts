/** Compiles the catalogues of words at build time, so that no parser of ICU texts reaches the browser. */
import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage';
import type { Plugin } from 'vite';

const CATALOGUE = /\/src\/platform\/i18n\/[a-z-]+\/[a-z-]+\.json$/;

export function wordsPlugin(): Plugin {
  return {
    name: 'gatehouse-words',
    enforce: 'pre',
    transform: {
      filter: { id: CATALOGUE },
      handler(code, id) {
        const texts = JSON.parse(code) as Record<string, string>;
        const compiled = Object.entries(texts).map(([name, text]) => [name, compileText(id, name, text)]);
        return { code: JSON.stringify(Object.fromEntries(compiled)), map: null };
      },
    },
  };
}

/** A text without placeholders stays a one-element list: a bare string would ask for the parser at run time. */
function compileText(file: string, name: string, text: string) {
  try {
    return compileMessageOrThrow(text);
  } catch (error) {
    throw new Error(`${file}: '${name}' is not a valid ICU text: ${String(error)}`);
  }
}
