/** Enrol anything: choose what one has, and be led from there to a first connection. */
import { useSearch } from '../../platform/routing/routing.tsx';
import { parseDiscover } from '../../shared/enrolment/discover-place.ts';
import { ChooseScreen } from './choose-screen.tsx';
import { findCard } from './discover-cards.ts';
import { FlowScreen } from './flow-screen.tsx';

export function DiscoverScreen() {
  const [place] = useSearch(parseDiscover);
  const found = place.flow === undefined ? undefined : findCard(place.flow);
  if (!found) return <ChooseScreen place={place} />;
  // Another card is another flow: nothing of the one before stays on the screen.
  return <FlowScreen key={found.card.id} place={place} found={found} />;
}
