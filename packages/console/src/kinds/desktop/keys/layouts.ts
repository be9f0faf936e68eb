/** Layouts of keyboards, by the numbers that Windows gives them, and which of them somebody seems to have. */

export interface KeyboardLayout {
  /** 0: the host's own. */
  id: number;
  /** As people call it in the language that is written with it where that is known to all, else in English. */
  name: string;
  /** Short, for the bar. */
  tag: string;
  languages: readonly string[];
  /** What the keys of PROBES write. */
  writes: string;
}

/** Keys by which layouts differ, as they are called on an American keyboard. */
const PROBES = ['KeyQ', 'KeyY', 'KeyA', 'Semicolon', 'Quote', 'BracketLeft', 'Minus', 'Backslash'] as const;

export const LAYOUTS: readonly KeyboardLayout[] = [
  { id: 0x0409, name: 'English (US)', tag: 'US', languages: ['en-US', 'en'], writes: "qya;'[-\\" },
  { id: 0x20409, name: 'English (US, international)', tag: 'INTL', languages: ['nl'], writes: "qya;'[-\\" },
  { id: 0x0809, name: 'English (UK)', tag: 'UK', languages: ['en-GB', 'en-IE'], writes: "qya;'[-#" },
  { id: 0x0407, name: 'German', tag: 'DE', languages: ['de', 'de-DE', 'de-AT'], writes: 'qzaöäüß#' },
  { id: 0x0807, name: 'German (Switzerland)', tag: 'CH', languages: ['de-CH', 'de-LI'], writes: "qzaöäü'$" },
  { id: 0x100c, name: 'French (Switzerland)', tag: 'CH-FR', languages: ['fr-CH'], writes: "qzaéàè'$" },
  { id: 0x040c, name: 'French', tag: 'FR', languages: ['fr', 'fr-FR'], writes: 'ayqmù^)*' },
  { id: 0x080c, name: 'Belgian', tag: 'BE', languages: ['fr-BE', 'nl-BE'], writes: 'ayqmù^)µ' },
  { id: 0x1009, name: 'French (Canada)', tag: 'CA', languages: ['fr-CA'], writes: 'qya;`^-<' },
  { id: 0x040a, name: 'Spanish', tag: 'ES', languages: ['es', 'es-ES'], writes: "qyañ´`'ç" },
  {
    id: 0x080a,
    name: 'Spanish (Latin America)',
    tag: 'LA',
    languages: ['es-MX', 'es-419', 'es-AR'],
    writes: "qyañ{´'}",
  },
  { id: 0x0410, name: 'Italian', tag: 'IT', languages: ['it'], writes: "qyaòàè'ù" },
  { id: 0x0816, name: 'Portuguese', tag: 'PT', languages: ['pt', 'pt-PT'], writes: "qyaçº+'~" },
  { id: 0x0416, name: 'Portuguese (Brazil)', tag: 'BR', languages: ['pt-BR'], writes: 'qyaç~´-]' },
  { id: 0x0406, name: 'Danish', tag: 'DA', languages: ['da'], writes: "qyaæøå+'" },
  { id: 0x0414, name: 'Norwegian', tag: 'NO', languages: ['nb', 'nn', 'no'], writes: "qyaøæå+'" },
  { id: 0x041d, name: 'Swedish', tag: 'SV', languages: ['sv'], writes: "qyaöäå+'" },
  { id: 0x040b, name: 'Finnish', tag: 'FI', languages: ['fi'], writes: "qyaöäå+'" },
  { id: 0x0415, name: 'Polish', tag: 'PL', languages: ['pl'], writes: "qya;'[-\\" },
  { id: 0x0405, name: 'Czech', tag: 'CS', languages: ['cs'], writes: 'qzaů§ú=¨' },
  { id: 0x041b, name: 'Slovak', tag: 'SK', languages: ['sk'], writes: 'qzaô§ú=ň' },
  { id: 0x040e, name: 'Hungarian', tag: 'HU', languages: ['hu'], writes: 'qzaéáőüű' },
  { id: 0x041a, name: 'Croatian', tag: 'HR', languages: ['hr', 'sl', 'bs'], writes: "qzačćš'ž" },
  { id: 0x10418, name: 'Romanian', tag: 'RO', languages: ['ro'], writes: 'qyașță-â' },
  { id: 0x041f, name: 'Turkish', tag: 'TR', languages: ['tr'], writes: 'qyaşiğ*,' },
  { id: 0x0408, name: 'Greek', tag: 'EL', languages: ['el'], writes: ";υα΄'[-\\" },
  { id: 0x0419, name: 'Russian', tag: 'RU', languages: ['ru', 'be'], writes: 'йнфжэх-\\' },
  { id: 0x0422, name: 'Ukrainian', tag: 'UK', languages: ['uk'], writes: 'йнфжєх-ґ' },
  { id: 0x040d, name: 'Hebrew', tag: 'HE', languages: ['he'], writes: '/טשף,]-\\' },
  { id: 0x0411, name: 'Japanese', tag: 'JA', languages: ['ja'], writes: 'qya;:@-]' },
  { id: 0x0412, name: 'Korean', tag: 'KO', languages: ['ko'], writes: "qya;'[-\\" },
  { id: 0x0804, name: 'Chinese (simplified)', tag: 'ZH', languages: ['zh', 'zh-CN'], writes: "qya;'[-\\" },
  { id: 0x0404, name: 'Chinese (traditional)', tag: 'ZH-TW', languages: ['zh-TW', 'zh-HK'], writes: "qya;'[-\\" },
];

export function layoutOf(id: number): KeyboardLayout | undefined {
  return LAYOUTS.find((layout) => layout.id === id);
}

/** What browsers of the Chromium family tell of a keyboard. */
export type LayoutMap = ReadonlyMap<string, string>;

/** Of all that write as this keyboard does, the one of the person's first language; without a map, of that language alone. */
export function guessLayout(languages: readonly string[], map?: LayoutMap): KeyboardLayout | undefined {
  // Some browsers have the question and no answer.
  if (map?.size === 0) return guessLayout(languages);
  const fitting = map ? closest(map) : LAYOUTS;
  for (const language of languages) {
    const [primary = ''] = language.split('-');
    const found =
      fitting.find((layout) => layout.languages.includes(language)) ??
      fitting.find((layout) => layout.languages.includes(primary));
    if (found) return found;
  }
  return map ? fitting[0] : undefined;
}

/** Somebody's own changes of a few keys do not make it another layout; most of them differing does. */
const MIN_ALIKE = 5;

function closest(map: LayoutMap): readonly KeyboardLayout[] {
  const alike = LAYOUTS.map((layout) => {
    const written = [...layout.writes];
    return PROBES.filter((code, index) => map.get(code) === written[index]).length;
  });
  const most = Math.max(...alike);
  return most < MIN_ALIKE ? [] : LAYOUTS.filter((_, index) => alike[index] === most);
}

/** By the browser, where it tells; the person may choose another. */
export async function askLayout(): Promise<KeyboardLayout | undefined> {
  const { keyboard, languages } = navigator as Navigator & { keyboard?: { getLayoutMap?(): Promise<LayoutMap> } };
  const map = await keyboard?.getLayoutMap?.().catch(() => undefined);
  return guessLayout(languages, map);
}
