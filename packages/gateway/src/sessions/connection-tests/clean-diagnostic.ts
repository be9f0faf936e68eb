/** What a test says once it is over: words of targets are cut and made visible, and nothing that the caller gave to be shown to them is repeated. */
import type { ConnectionDiagnostic, Trace } from '@gatehouse/contract/sessions/diagnostics';
import { visibleText } from '@gatehouse/contract/std/visible-text';

const MAX_WORDS = 1_000;
/** Roles of clusters are whole documents. */
const MAX_NEXT = 8_000;
/** Characters of a secret that nobody writes by chance. */
const TOLD_BY = 8;

/** `secrets` are the caller's own and must stand in no answer, whoever repeats them. */
export function cleanDiagnostic(
  { id, success, message, traces = [] }: ConnectionDiagnostic,
  secrets: readonly string[],
): ConnectionDiagnostic {
  const hide = (text: string) => secrets.reduce((left, secret) => withoutSecret(left, secret), text);
  return {
    ...{ id, success, message: visibleText(hide(message), MAX_WORDS) },
    traces: traces.map((trace) => cleanTrace(trace, hide)),
  };
}

/** A target may repeat what it was shown, and its words may be cut anywhere: so much of the beginning is taken for the secret itself. */
function withoutSecret(text: string, secret: string): string {
  const beginning = secret.slice(0, TOLD_BY);
  if (beginning === '') return text;
  const told: string[] = [];
  let read = 0;
  for (let at = text.indexOf(beginning); at >= 0; at = text.indexOf(beginning, read)) {
    let length = beginning.length;
    while (length < secret.length && text[at + length] === secret[length]) length += 1;
    told.push(text.slice(read, at), '***');
    read = at + length;
  }
  return [...told, text.slice(read)].join('');
}

/** A secret of several lines is looked for before they are told apart, and before anything is cut. */
function cleanTrace(trace: Trace, hide: (text: string) => string): Trace {
  const { details, error, gatehouse } = trace;
  const line = (text: string) => visibleText(text, MAX_WORDS);
  const lines = (text: string) => hide(text).slice(0, MAX_NEXT).split('\n').map(line).join('\n');
  return {
    ...trace,
    ...(details === undefined ? {} : { details: lines(details) }),
    ...(error === undefined ? {} : { error: line(hide(error)) }),
    ...(gatehouse?.next === undefined ? {} : { gatehouse: { ...gatehouse, next: lines(gatehouse.next) } }),
  };
}
