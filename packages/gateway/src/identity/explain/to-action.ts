/** Turns a question about a resource into the action that is decided. */
import type { ResourceQuestion } from '@gatehouse/contract/access/explain/explain';
import type { Principal } from '@gatehouse/contract/kinds/kind';
import { factsOf, type Kind, kinds } from '@gatehouse/contract/kinds/kinds';
import { type Action, type Connect, namesIn, objectIn } from '../../access/action.ts';
import { tellObject } from '../../access/compile-objects.ts';
import type { Resource } from '../../inventory/resource-store.ts';
import { AppError } from '../../platform/std/app-error.ts';

const askedName = ({ asked, name }: Principal) => asked ?? name;

/** What may be asked of resources of a kind. */
function askedOf(kind: Kind): string[] {
  const { principals, hasObjects } = factsOf(kind);
  return [...principals.map(askedName), ...(hasObjects ? ['object'] : [])];
}

export function toAction(question: ResourceQuestion, resource: Resource): Action {
  const { kind } = resource;
  const given = question as Readonly<Record<string, unknown>>;
  const known = askedOf(kind);
  const wrong = kinds.flatMap(askedOf).find((name) => given[name] !== undefined && !known.includes(name));
  const { principals, noun } = factsOf(kind);
  if (wrong) {
    const there = known.length === 0 ? 'one connects there under no name' : `there it is ${known.join(', ')}`;
    throw new AppError('bad_request', `'${wrong}' is not asked of ${noun}s: ${there}`);
  }
  const alone = principals.find(
    (each) => each.with !== undefined && given[askedName(each)] !== undefined && given[each.with] === undefined,
  );
  if (alone) throw new AppError('bad_request', `'${askedName(alone)}' is asked together with '${alone.with}'`);
  if (principals.some((each) => each.required && given[askedName(each)] === undefined))
    return { type: 'see', kind, resource };
  const names = principals.flatMap((each): [string, unknown][] => {
    const value = given[askedName(each)] ?? (each.many ? [] : undefined);
    return value === undefined ? [] : [[each.name, value]];
  });
  const object = question.object === undefined ? {} : { object: question.object };
  return { type: 'connect', kind, resource, ...Object.fromEntries(names), ...object } as Connect;
}

/** The action in a few words, without the name of what it is done to. */
export function tellAction(action: Action): string {
  switch (action.type) {
    case 'verb':
      return `${action.verb} ${action.resource}`;
    case 'see':
      return 'see';
    case 'join':
      return `join a session as ${action.mode}`;
    case 'connect': {
      const names = namesOf(action);
      return names.length === 0 ? 'connect' : `connect as ${names.join(', ')}`;
    }
    default:
      return action satisfies never;
  }
}

function namesOf(action: Connect): string[] {
  const object = objectIn(action);
  const names = factsOf(action.kind).principals.flatMap((principal) =>
    namesIn(action, principal).map((name) => (principal.preposition ? `${principal.preposition} ${name}` : name)),
  );
  return [...names, ...(object ? [`to ${tellObject(object)}`] : [])];
}
