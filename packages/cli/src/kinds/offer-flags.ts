/** The flags of `tokens add` that say what machines may offer, read off the rows: a kind that agents offer has them by its row. */
import type { KindNamed, KindOffers } from '@gatehouse/contract/kinds/kind-schemas';
import { factsOf, type Kind, rows } from '@gatehouse/contract/kinds/kinds';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { nameList } from '../input/trait-flags.ts';
import { Failure } from '../runtime/failure.ts';

/** As the command line gives them; each flag's own reader has made them. */
export type OfferOptions = Readonly<Record<string, unknown>>;

export function addOfferFlags(command: Command): Command {
  for (const { kind, path, noun, offered, offeredAt } of rows) {
    if (offered === 'machine') {
      const words = 'names its machines may join with, like web-*; any free one unless told';
      command.addOption(new Option(`--${path} <names>`, words).argParser(nameList));
    } else if (offered === 'named') {
      const installs = `the command installs an agent that offers this ${noun}`;
      command.addOption(new Option(`--${kind} <name=${offeredAt}>`, installs).argParser(namedAt(offeredAt)));
      const words = `${noun}s its machines may offer, like wiki,shop-*; '*' for all`;
      command.addOption(new Option(`--${path} <names>`, words).argParser(nameList));
    }
  }
  return command;
}

export interface GivenOffers {
  /** The one that the command's agent will offer, by its kind. */
  named: KindNamed;
  /** Names that may be offered, by the path of their kind. */
  names: KindOffers;
  /** What the token is for: whoever names something means a token for that. */
  types: readonly Kind[];
}

export function offersGiven(options: OfferOptions, types: readonly Kind[]): GivenOffers {
  const isGiven = (flag: string) => options[flag] !== undefined;
  const named = rows.filter(({ offered }) => offered === 'named');
  const meant = named.filter(({ kind, path }) => isGiven(kind) || isGiven(path)).map(({ kind }) => kind);
  for (const kind of types) {
    const { offered, offeredAt, noun, path, matched } = factsOf(kind);
    // Agents of the other sort look after what is entered at the gateway, and offer nothing themselves.
    if (offered !== 'named' || matched || meant.includes(kind)) continue;
    const ways = `--${kind} NAME=${offeredAt.toUpperCase()}, --${path} 'wiki,shop-*', or --${path} '*' for all`;
    throw new Failure('usage', `say which ${noun}s its machines may offer: ${ways}`);
  }
  const pick = (flags: readonly string[]) =>
    Object.fromEntries(flags.filter(isGiven).map((flag) => [flag, options[flag]]));
  return {
    named: pick(named.map(({ kind }) => kind)),
    names: pick(rows.filter(({ offered }) => offered !== undefined).map(({ path }) => path)),
    types: meant.every((kind) => types.includes(kind)) ? types : meant,
  };
}

/** The one that is named, with where it is in the kind's own field. */
function namedAt(field: string): (text: string) => Record<string, string> {
  return (text) => {
    const at = text.indexOf('=');
    if (at <= 0) throw new InvalidArgumentError(`write it like NAME=${field.toUpperCase()}.`);
    return { name: text.slice(0, at).trim(), [field]: text.slice(at + 1).trim() };
  };
}
