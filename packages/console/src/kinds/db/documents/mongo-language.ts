/** The language of MongoDB's shell in the editor: its colours, and names to complete. */
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { StreamLanguage, type StringStream } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { writeName } from '@gatehouse/contract/kinds/db/mongo/write-mongo';
import type { QueryMode } from './query-form.ts';

interface Reading {
  isComment: boolean;
}

const language = StreamLanguage.define<Reading>({
  name: 'mongo',
  startState: () => ({ isComment: false }),
  token(stream, state) {
    if (state.isComment || stream.match('/*')) return comment(stream, state);
    if (stream.eatSpace()) return null;
    if (stream.match(/^\/\/.*/)) return 'lineComment';
    if (stream.match(/^(?:"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)(?=\s*:)/)) return 'propertyName';
    if (stream.match(/^(?:"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)/)) return 'string';
    if (stream.match(/^\/(?:[^/\\\n]|\\.)+\/[a-z]*/)) return 'string';
    if (stream.match(/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/i)) return 'number';
    if (stream.match(/^(?:true|false|null|undefined|NaN|Infinity)\b/)) return 'bool';
    if (stream.match(/^\$[\w$]*/)) return 'keyword';
    if (stream.match(/^[\p{L}_][\p{L}\p{N}_$]*(?=\s*\()/u)) return 'typeName';
    if (stream.match(/^[\p{L}_][\p{L}\p{N}_$]*/u)) return 'propertyName';
    stream.next();
    return null;
  },
});

function comment(stream: StringStream, state: Reading): string {
  state.isComment = !stream.match(/^.*?\*\//);
  if (state.isComment) stream.skipToEnd();
  return 'blockComment';
}

const QUESTIONS = words(
  '$eq $ne $gt $gte $lt $lte $in $nin $and $or $nor $not $exists $type $regex $elemMatch $size $all $expr $text',
);
const STAGES = words(
  '$match $group $project $sort $limit $skip $unwind $lookup $count $addFields $set $unset $facet $bucket $sample $replaceRoot $sortByCount $out $merge',
);
const SUMS = words('$sum $avg $min $max $first $last $push $addToSet $cond $ifNull $concat $dateToString $toString');
const TYPES = words('ObjectId ISODate NumberLong NumberDecimal UUID RegExp Timestamp BinData').map((each) => ({
  ...each,
  type: 'type',
  apply: `${each.label}("")`,
}));
const COMMANDS = words(
  'find aggregate count distinct explain listCollections listIndexes collStats dbStats serverStatus insert update delete findAndModify createIndexes dropIndexes',
);
const OPTIONS: Readonly<Record<QueryMode, readonly Completion[]>> = {
  find: [...QUESTIONS, ...TYPES],
  aggregate: [...STAGES, ...QUESTIONS, ...SUMS, ...TYPES],
  command: [...COMMANDS, ...STAGES, ...QUESTIONS, ...SUMS, ...TYPES],
};

/** `fields`: of the collection, asked for when somebody first wants names completed. */
export function mongoLanguage(mode: QueryMode, fields: () => Promise<readonly string[]>): Extension {
  const complete = async (context: CompletionContext): Promise<CompletionResult | null> => {
    const word = context.matchBefore(/[$\p{L}_][\p{L}\p{N}_.$]*/u);
    if (!word && !context.explicit) return null;
    const known = await fields();
    if (context.aborted) return null;
    const named = known.map((name) => ({ label: name, type: 'property', apply: writeName(name), boost: 1 }));
    const inside = known.map((name) => ({ label: `$${name}`, type: 'property', apply: JSON.stringify(`$${name}`) }));
    return {
      from: word?.from ?? context.pos,
      options: [...named, ...OPTIONS[mode], ...(mode === 'find' ? [] : inside)],
      validFor: /^[$\p{L}_][\p{L}\p{N}_.$]*$/u,
    };
  };
  return [language, language.data.of({ autocomplete: complete })];
}

function words(text: string): Completion[] {
  return text.split(' ').map((label) => ({ label, type: 'keyword' }));
}
