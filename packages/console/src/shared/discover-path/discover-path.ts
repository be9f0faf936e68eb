/** The way to the page that enrols: to a card, to a step of it, or to the cards of one kind. */
import { pagePath } from '@gatehouse/contract/console/pages';

type PlaceName = 'flow' | 'step' | 'id' | 'token' | 'cluster' | 'kind';

export function discoverPath(place: Partial<Record<PlaceName, string | undefined>> = {}): string {
  const texts = Object.entries(place).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const search = new URLSearchParams(texts).toString();
  return pagePath('discover') + (search === '' ? '' : `?${search}`);
}
