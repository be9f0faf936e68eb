/** Templates in headers that an application is sent: held to the same rules whoever wrote them, an administrator or an agent. */
import { PatternError } from './match/pattern.ts';
import { parseTemplate, TemplateError } from './match/template.ts';

/** They stand for more than traits: the name of whoever asks, and the signed word of the gateway about them. */
export const SPECIAL_TEMPLATE = /^(.*)\{\{\s*internal\.(jwt|username)\s*\}\}(.*)$/s;

/** Whether reading a value takes more than looking through it. */
export function holdsExpression(value: string): boolean {
  return value.includes('regexp.');
}

/** What is wrong with the first that cannot be filled in; undefined when all can. `judged`: what was found of values before. */
export function wrongWithHeaders(
  headers: readonly { name: string; value: string }[],
  judged = new Map<string, string | undefined>(),
): string | undefined {
  for (const { name, value } of headers) {
    if (!judged.has(value)) judged.set(value, wrongWithValue(value));
    const wrong = judged.get(value);
    if (wrong !== undefined) return `the header '${name}' ${wrong}`;
  }
  return undefined;
}

function wrongWithValue(value: string): string | undefined {
  if (SPECIAL_TEMPLATE.test(value)) return undefined;
  try {
    parseTemplate(value);
    return undefined;
  } catch (error) {
    if (!(error instanceof TemplateError || error instanceof PatternError)) throw error;
    return error.message;
  }
}
