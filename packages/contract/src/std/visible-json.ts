/** JSON that may be shown as it is: the same value, and nothing in the text steers a terminal, breaks a line or hides. */

/** What JSON leaves as it is though nobody sees it, or it turns the text around it. */
const INVISIBLE = /[\x7f-\x9f\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** On one line. What has no JSON is null. */
export function visibleJson(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').replace(INVISIBLE, escaped);
}

function escaped(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}
