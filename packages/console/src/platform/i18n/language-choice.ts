/** Which language this browser asked for: by address for tests, by choice, by the gateway's default, else English. */
import { PREFERENCES } from '../browser/preferences.ts';
import { languages, PSEUDO, type ShownLanguage } from './words.ts';

export function chosenLanguage(search: string, storage: Storage): ShownLanguage {
  const asked = new URLSearchParams(search).get('lang') ?? readStored(storage);
  return isShown(asked) ? asked : 'en';
}

function readStored(storage: Storage): string | null {
  try {
    return storage.getItem(PREFERENCES.language);
  } catch {
    return null;
  }
}

function isShown(language: string | null): language is ShownLanguage {
  return language === PSEUDO || languages.some((known) => known === language);
}
