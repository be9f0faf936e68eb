/** What can be enrolled, in the order of the page: the cards of every kind, and what leads to screens of its own. */
import type { Acl } from '@gatehouse/contract/access/acl';
import type { PageName } from '@gatehouse/contract/console/pages';
import { type Kind, kinds } from '@gatehouse/contract/kinds/kinds';
import Fingerprint from 'lucide-react/icons/fingerprint-pattern';
import Network from 'lucide-react/icons/network';
import { KIND_FLOWS } from '../../kinds/flows.ts';
import type { FlowCard, KindFlows } from '../../shared/enrolment/flow.ts';

/** A card whose way is another screen's. */
export interface LeadCard extends Omit<FlowCard, 'several' | 'first'> {
  page: PageName;
}

const LEADS: readonly LeadCard[] = [
  {
    id: 'cluster',
    group: 'discover.group-beyond',
    resource: 'DISCOVER_RESOURCE_CLUSTER',
    title: 'discover.card-cluster',
    text: 'discover.card-cluster-text',
    also: 'discover.card-cluster-also',
    icon: Network,
    may: (acl) => acl.trustedClusters.create,
    page: 'clusters',
  },
  {
    id: 'provider',
    group: 'discover.group-beyond',
    resource: 'DISCOVER_RESOURCE_AUTH_CONNECTOR',
    title: 'discover.card-provider',
    text: 'discover.card-provider-text',
    also: 'discover.card-provider-also',
    icon: Fingerprint,
    may: (acl) => acl.authConnectors.create,
    page: 'connectors',
  },
];

export type AnyCard = FlowCard | LeadCard;

interface KindCard {
  kind: Kind;
  card: FlowCard;
  flows: KindFlows;
}

/** Every kind there is, by its row. */
const kindCards: readonly KindCard[] = kinds.flatMap((kind) =>
  KIND_FLOWS[kind].cards.map((card) => ({ kind, card, flows: KIND_FLOWS[kind] })),
);

export function findCard(id: string): KindCard | undefined {
  return kindCards.find(({ card }) => card.id === id);
}

export function offeredCards(acl: Acl): AnyCard[] {
  const offered = [...kindCards.map(({ card }) => card), ...LEADS].filter(({ may }) => may(acl));
  return groupCards(offered).flatMap(([, cards]) => cards);
}

/** What is enrolled most comes first; headings that are not named here follow as they come. */
const GROUP_ORDER: readonly FlowCard['group'][] = [
  'discover.group-servers',
  'discover.group-databases',
  'discover.group-desktops',
];

/** Under their headings. */
export function groupCards(cards: readonly AnyCard[]): [FlowCard['group'], AnyCard[]][] {
  const groups = new Map<FlowCard['group'], AnyCard[]>();
  for (const card of cards) groups.set(card.group, [...(groups.get(card.group) ?? []), card]);
  return [...groups].sort(([a], [b]) => rank(a) - rank(b));
}

function rank(group: FlowCard['group']): number {
  const at = GROUP_ORDER.indexOf(group);
  return at < 0 ? GROUP_ORDER.length : at;
}
