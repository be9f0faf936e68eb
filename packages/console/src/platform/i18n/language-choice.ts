/** Which language this browser asked for: by address for tests, by choice, by the gateway's default, else English. */
import { languages, PSEUDO, type ShownLanguage } from './words.ts';

/** `stored`: the person's choice in this browser. */
export function chosenLanguage(search: string, stored: string | null): ShownLanguage {
  const asked = new URLSearchParams(search).get('lang') ?? stored;
  return isShown(asked) ? asked : 'en';
}

function isShown(language: string | null): language is ShownLanguage {
  return language === PSEUDO || languages.some((known) => known === language);
}
