/** Takes secrets out of a finished log line: the last step before it is written, so that no caller can forget it. */

const HIDDEN = '[secret]';

/** A key whose name says that its value is nobody's business, wherever in the line it stands. */
const SECRET_KEY =
  /password|passphrase|passwd|secret|token|bearer|cookie|authorization|csrf|private_?key|api_?key|credential/i;

/** Cheap first look: most lines hold nothing of the kind and pass untouched. */
const WORTH_A_LOOK = new RegExp(`${SECRET_KEY.source}|basic |session=|code=|://|PRIVATE KEY`, 'i');

const IN_TEXT: readonly (readonly [RegExp, string])[] = [
  [/([?&;](?:access_token|token|code|password|secret|api_?key)=)[^&;\s#"']+/gi, `$1${HIDDEN}`],
  [/\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi, `$1 ${HIDDEN}`],
  // Whatever the scheme is: to look for its beginning would take as long as the square of a long word.
  [/(:\/\/[^\s/:@]*):[^\s/]+@/g, `$1:${HIDDEN}@`],
  [/((?:__Host-)?(?:grv_)?(?:session|csrf|app_session|app_session_subject)=)[^;\s"']+/gi, `$1${HIDDEN}`],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, HIDDEN],
];

export function scrubLine(line: string): string {
  if (!WORTH_A_LOOK.test(line)) return line;
  try {
    return `${JSON.stringify(JSON.parse(line, scrubValue))}\n`;
  } catch {
    // Better no line than one that cannot be searched for secrets.
    return `${JSON.stringify({ level: 'error', msg: 'a log line could not be read and was withheld' })}\n`;
  }
}

export function scrubText(text: string): string {
  return IN_TEXT.reduce((scrubbed, [pattern, shown]) => scrubbed.replaceAll(pattern, shown), text);
}

function scrubValue(key: string, value: unknown): unknown {
  if (SECRET_KEY.test(key) && typeof value !== 'boolean' && value !== null) return HIDDEN;
  return typeof value === 'string' ? scrubText(value) : value;
}
