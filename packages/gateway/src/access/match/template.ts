/** Values taken from the traits of a user: `{{internal.logins}}` and two functions. No logic, one place per value, bounded. */
import { INTERNAL_TRAITS } from '@gatehouse/contract/access/roles/vocabulary';
import { didYouMean } from '@gatehouse/contract/std/did-you-mean';
import type { RE2JS } from 're2js';
import { compileExpression } from './pattern.ts';
import { externalKey } from './trait-keys.ts';

export type Traits = Readonly<Record<string, readonly string[]>>;

export interface Template {
  /** The key it is read from. */
  trait: string;
  /** Whether the trait's values are taken as they are. */
  plain: boolean;
  expand(traits: Traits): string[];
}

export class TemplateError extends Error {
  override name = 'TemplateError';
}

const MAX_VALUES = 500;
const MAX_VALUE_CHARACTERS = 1024;
const CONTROL = /\p{Cc}/u;

/** Nothing when the text holds no template. */
export function parseTemplate(text: string): Template | undefined {
  const open = text.indexOf('{{');
  if (open < 0) {
    if (text.includes('}}')) throw new TemplateError("has '}}' without '{{'");
    return undefined;
  }
  const close = text.indexOf('}}', open);
  if (close < 0) throw new TemplateError("has '{{' without '}}'");
  const prefix = text.slice(0, open);
  const suffix = text.slice(close + 2);
  if (suffix.includes('{{') || suffix.includes('}}') || prefix.includes('}}')) {
    throw new TemplateError('may hold one template only');
  }
  const { trait, change } = parseCall(text.slice(open + 2, close).trim());
  return {
    trait,
    plain: change === undefined && prefix === '' && suffix === '',
    expand(traits) {
      const values = Object.hasOwn(traits, trait) ? (traits[trait] ?? []) : [];
      const expanded = values
        .slice(0, MAX_VALUES)
        .filter((value) => value.length <= MAX_VALUE_CHARACTERS)
        .map((value) => (change ? change(value) : value))
        .filter((value) => value !== undefined && value !== '')
        .map((value) => `${prefix}${value}${suffix}`)
        .filter((value) => value.length <= MAX_VALUE_CHARACTERS && !CONTROL.test(value));
      return [...new Set(expanded)];
    },
  };
}

interface Call {
  trait: string;
  change?: (value: string) => string | undefined;
}

function parseCall(text: string): Call {
  const call = /^([a-z]+\.[a-z_]+)\s*\((.*)\)$/s.exec(text);
  if (!call) return { trait: parseTrait(text) };
  const [, name = '', given = ''] = call;
  const args = splitArguments(given);
  switch (name) {
    case 'email.local':
      if (args.length !== 1) throw new TemplateError('email.local takes one trait');
      return { trait: parseTrait(args[0]!), change: emailLocal };
    case 'regexp.replace': {
      if (args.length !== 3) throw new TemplateError('regexp.replace takes a trait, an expression and a replacement');
      const expression = compileExpression(parseQuoted(args[1]!));
      const replacement = parseReplacement(parseQuoted(args[2]!), expression);
      return { trait: parseTrait(args[0]!), change: (value) => replace(value, expression, replacement) };
    }
    default:
      throw new TemplateError(unknown(`'${name}' is not a function`, name, ['email.local', 'regexp.replace']));
  }
}

function parseTrait(text: string): string {
  const found = /^(\w+)(?:\.([\w-]+)|\["([^"\\]{1,256})"\])$/.exec(text);
  if (!found) throw new TemplateError(`'${text.slice(0, 80)}' is not of the form internal.NAME or external.NAME`);
  const [, space = '', dotted, quoted] = found;
  const trait = dotted ?? quoted ?? '';
  if (space === 'external') return externalKey(trait);
  if (space !== 'internal') {
    throw new TemplateError(unknown(`'${space}' is neither internal nor external`, space, ['internal', 'external']));
  }
  if ((INTERNAL_TRAITS as readonly string[]).includes(trait)) return trait;
  throw new TemplateError(unknown(`'internal.${trait}' does not exist`, trait, INTERNAL_TRAITS));
}

function unknown(message: string, given: string, known: readonly string[]): string {
  const close = didYouMean(given, known);
  return close ? `${message}; did you mean '${close}'?` : `${message}; there is ${known.join(', ')}`;
}

/** Arguments by comma, outside of quotes. */
function splitArguments(text: string): string[] {
  const parts: string[] = [];
  let from = 0;
  let isQuoted = false;
  // One pass: an expression that looks for closing quotes begins anew at each that is never closed.
  for (let at = 0; at < text.length; at++) {
    if (isQuoted && text[at] === '\\') at += 1;
    else if (text[at] === '"') isQuoted = !isQuoted;
    else if (text[at] === ',' && !isQuoted) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  if (isQuoted) throw new TemplateError('has a quote that is not closed');
  return [...parts, text.slice(from)].map((part) => part.trim()).filter((part) => part !== '');
}

function parseQuoted(text: string): string {
  if (!/^"(?:[^"\\]|\\.)*"$/s.test(text)) throw new TemplateError(`${text.slice(0, 80)} must stand in double quotes`);
  return text.slice(1, -1).replaceAll(/\\(["\\])/g, '$1');
}

function emailLocal(value: string): string | undefined {
  const at = value.lastIndexOf('@');
  const local = value.slice(0, at);
  return at > 0 && !local.includes('@') && value.length > at + 1 ? local : undefined;
}

type Replacement = readonly (string | number)[];

function parseReplacement(text: string, expression: RE2JS): Replacement {
  const parts = text.split(/\$(?:(\d{1,2})|\{(\d{1,2})\})/);
  const pieces: (string | number)[] = [];
  for (let index = 0; index < parts.length; index += 3) {
    pieces.push(parts[index] ?? '');
    const group = parts[index + 1] ?? parts[index + 2];
    if (group === undefined) continue;
    if (Number(group) > expression.groupCount()) throw new TemplateError(`the expression has no group ${group}`);
    pieces.push(Number(group));
  }
  return pieces;
}

/** A value that the expression does not match is left out, so that a filter cannot let the unexpected through. */
function replace(value: string, expression: RE2JS, replacement: Replacement): string | undefined {
  const matcher = expression.matcher(value);
  let from = 0;
  let result = '';
  let found = false;
  while (matcher.find()) {
    found = true;
    result += value.slice(from, matcher.start());
    for (const piece of replacement) result += typeof piece === 'string' ? piece : (matcher.group(piece) ?? '');
    from = matcher.end();
    if (result.length > MAX_VALUE_CHARACTERS) return undefined;
  }
  return found ? result + value.slice(from) : undefined;
}
