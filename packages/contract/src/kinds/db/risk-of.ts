/** Which statements take more with them than they say: those are run only after somebody typed what they are about. */
import type { Token } from './sql-token.ts';
import { type Quoting, tokens } from './sql-tokens.ts';

export interface Risk {
  verb: 'DROP' | 'TRUNCATE' | 'UPDATE' | 'DELETE';
  /** Of the table, or whatever it is about; without its schema. */
  name: string;
}

/** Stand between the verb and the name. */
const BETWEEN = new Set(
  (
    'TABLE VIEW MATERIALIZED INDEX SEQUENCE SCHEMA DATABASE FUNCTION PROCEDURE ROUTINE AGGREGATE TYPE DOMAIN TRIGGER RULE POLICY ROLE USER ' +
    'GROUP EXTENSION OWNED BY TABLESPACE COLLATION CONVERSION OPERATOR CLASS FAMILY SERVER FOREIGN DATA WRAPPER TEXT SEARCH CONFIGURATION ' +
    'DICTIONARY PARSER TEMPLATE PUBLICATION SUBSCRIPTION STATISTICS EVENT LANGUAGE PROCEDURAL ACCESS METHOD CONCURRENTLY IF EXISTS ONLY ' +
    'TEMPORARY FROM LOW_PRIORITY QUICK IGNORE'
  ).split(' '),
);
const VERBS = new Set<string>(['DROP', 'TRUNCATE', 'UPDATE', 'DELETE'] satisfies Risk['verb'][]);

/** One pair of brackets, or what stands in none. */
interface Level {
  first: string | undefined;
  verb: Risk['verb'] | undefined;
  name: string | undefined;
  /** The name may still go on, after a dot. */
  isNaming: boolean;
  hasWhere: boolean;
}

const level = (): Level => ({
  first: undefined,
  verb: undefined,
  name: undefined,
  isNaming: false,
  hasWhere: false,
});

export function riskOf(sql: string, quoting: Quoting): Risk | undefined {
  const open: Level[] = [level()];
  let before = '';
  let measures = false;
  for (const token of tokens(sql, quoting)) {
    const whole = sql.slice(token.from, token.to);
    const text = token.what === 'word' ? whole.replace(/^\[(.*)\]$/s, '$1') : whole;
    const here = open.at(-1) as Level;
    if (token.what === 'other' && text.trim() === '') continue;
    if (token.what === 'end' && quoting.isTsql) {
      // What belongs together there is one to run, and several to look at.
      const risk = open.map(riskIn).find((each) => each !== undefined);
      if (risk) return risk;
      open.splice(0, open.length, level());
    } else if (text === '(' && token.what === 'other') open.push(level());
    else if (text === ')' && token.what === 'other') {
      const risk = open.length > 1 ? riskIn(open.pop() as Level) : undefined;
      if (risk) return risk;
    } else if (token.what === 'word') {
      const word = isQuoted(sql, token) || text !== whole ? '' : text.toUpperCase();
      measures ||= word === 'ANALYZE';
      read(here, { word, text, before, measures });
    }
    before = token.what === 'word' ? 'word' : text;
  }
  return open.map(riskIn).find((risk) => risk !== undefined);
}

function read(
  here: Level,
  { word, text, before, measures }: { word: string; text: string; before: string; measures: boolean },
): void {
  if (here.verb === undefined) {
    // `FOR UPDATE` and `DO UPDATE` are no verbs of their own: what begins a statement is, and what follows the brackets of WITH.
    const begins =
      here.first === undefined ||
      (here.first === 'WITH' && before === ')') ||
      (here.first === 'EXPLAIN' && measures && word !== 'ANALYZE');
    here.first ??= word;
    if (begins && VERBS.has(word)) here.verb = word as Risk['verb'];
    return;
  }
  if (word === 'WHERE') here.hasWhere = true;
  if (here.name === undefined) {
    if (BETWEEN.has(word)) return;
    here.name = text;
    here.isNaming = true;
  } else if (here.isNaming && before === '.') here.name = text;
  else here.isNaming = false;
}

function riskIn({ verb, name, hasWhere }: Level): Risk | undefined {
  if (verb === undefined || ((verb === 'UPDATE' || verb === 'DELETE') && hasWhere)) return undefined;
  return { verb, name: name ?? verb.toLowerCase() };
}

function isQuoted(sql: string, { from }: Token): boolean {
  return from > 0 && /["`[]/.test(sql[from - 1] as string);
}
