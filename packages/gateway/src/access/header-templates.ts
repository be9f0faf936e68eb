/** Templates in headers that an application is sent: held to the same rules whoever wrote them, an administrator or an agent. */
import { PatternError } from './match/pattern.ts';
import { parseTemplate, TemplateError } from './match/template.ts';

/** They stand for more than traits: the name of whoever asks, and the signed word of the gateway about them. */
export const SPECIAL_TEMPLATE = /^(.*)\{\{\s*internal\.(jwt|username)\s*\}\}(.*)$/s;

/** What is wrong with the first that cannot be filled in; undefined when all can. */
export function wrongWithHeaders(headers: readonly { name: string; value: string }[]): string | undefined {
  for (const { name, value } of headers) {
    if (SPECIAL_TEMPLATE.test(value)) continue;
    try {
      parseTemplate(value);
    } catch (error) {
      if (!(error instanceof TemplateError || error instanceof PatternError)) throw error;
      return `the header '${name}' ${error.message}`;
    }
  }
  return undefined;
}
