/** The first step: what somebody has, as cards that a few letters or the arrows find, and what was begun before. */
import { pagePath } from '@gatehouse/contract/console/pages';
import { Button } from '@gatehouse/design/button';
import { Icon } from '@gatehouse/design/icon';
import { KeyCap } from '@gatehouse/design/key-cap';
import { KeyHints } from '@gatehouse/design/key-hints';
import { SegmentedControl } from '@gatehouse/design/segmented-control';
import { TextButton } from '@gatehouse/design/text-link';
import { useKey } from '@gatehouse/design/use-key';
import Layers from 'lucide-react/icons/layers';
import Search from 'lucide-react/icons/search';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useFollow } from '../../platform/routing/routing.tsx';
import { useOwnUser, useUserOf } from '../../platform/sign-in/user.ts';
import { useAnythingThere } from '../../shared/discover-path/anything-there.ts';
import { discoverPath } from '../../shared/discover-path/discover-path.ts';
import type { DiscoverPlace } from '../../shared/enrolment/discover-place.ts';
import { beginFlow } from '../../shared/enrolment/kept-flows.ts';
import styles from './choose-screen.module.css';
import { type AnyCard, findCard, groupCards, offeredCards } from './discover-cards.ts';
import { tellStarted } from './discover-events.ts';
import { NothingYet } from './nothing-yet.tsx';
import { UnderWay } from './under-way.tsx';
import { useDiscoverCluster } from './use-discover-cluster.ts';

type HowMany = 'one' | 'several';

export function ChooseScreen({ place }: { place: DiscoverPlace }) {
  const t = useTranslate();
  const follow = useFollow();
  const { userName } = useOwnUser();
  const clusterId = useDiscoverCluster(place);
  const { userAcl } = useUserOf(clusterId);
  const anything = useAnythingThere(clusterId);
  const [typed, setTyped] = useState('');
  const [howMany, setHowMany] = useState<HowMany>('one');
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const { kind, cluster } = place;
  const address = addressIn(typed);

  const cards = useMemo(() => {
    const words = (address === undefined ? typed : '').toLowerCase().split(/\s+/).filter(Boolean);
    return offeredCards(userAcl).filter((card) => {
      if (kind !== undefined && findCard(card.id)?.kind !== kind) return false;
      if (howMany === 'several' && !('several' in card)) return false;
      const said = [card.title, card.text, card.also]
        .map((id) => t(id))
        .join(' ')
        .toLowerCase();
      return words.every((word) => said.includes(word));
    });
  }, [t, userAcl, typed, address, kind, howMany]);

  // On a machine of its own, and no other kind chosen.
  const here = kind === undefined && typed === '' ? cards.find((card) => 'isMachine' in card) : undefined;
  // The notice stands above the cards: cards that are drawn before it is known whether it comes would jump.
  const isDrawn = here === undefined || !anything.isLoading;

  useKey(['/'], () => field.current?.focus());
  useKey(['s', 'S'], () => setHowMany((before) => (before === 'one' ? 'several' : 'one')));
  const move = (event: KeyboardEvent) => {
    const by = STEPS[event.key];
    const links = [...(list.current?.querySelectorAll<HTMLElement>('[data-card]') ?? [])];
    if (by === undefined || links.length === 0) return;
    const at = links.indexOf(document.activeElement as HTMLElement);
    // In the field the arrows to the sides move between letters.
    if (at < 0 && event.key !== 'ArrowDown') return;
    event.preventDefault();
    links[Math.min(links.length - 1, Math.max(0, at < 0 ? 0 : at + by))]?.focus();
  };
  const choose = (card: AnyCard) => {
    if ('page' in card) return follow(pagePath(card.page));
    const found = findCard(card.id);
    if (!found) return;
    const several = howMany === 'several' ? { several: true, count: '10' } : {};
    const run = beginFlow(userName, card.id, 'where', {
      ...card.first,
      ...several,
      ...(address === undefined ? {} : { address }),
    });
    tellStarted({ run, resource: card.resource });
    follow(discoverPath({ flow: card.id, cluster }));
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrows move among the cards wherever the focus is in here
    <div className={styles.screen} onKeyDown={move}>
      <div className={styles.wide}>
        <h1 className={styles.title}>{t('discover.title')}</h1>
        <div className={styles.find}>
          <label className={styles.field}>
            <Icon of={Search} size={20} />
            <input
              ref={field}
              type="search"
              // biome-ignore lint/a11y/noAutofocus: the page is one question
              autoFocus
              autoComplete="off"
              spellCheck={false}
              placeholder={t('discover.search-placeholder')}
              aria-label={t('discover.search')}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              onKeyDown={(event) => {
                const [first] = cards;
                if (event.key === 'Enter' && first) choose(first);
              }}
            />
            <KeyCap>/</KeyCap>
          </label>
          <SegmentedControl
            label={t('discover.how-many')}
            value={howMany}
            onValueChange={setHowMany}
            segments={[
              { value: 'one', label: t('discover.one') },
              { value: 'several', label: t('discover.several'), icon: Layers },
            ]}
          />
        </div>
        {here && anything.data?.hasResource === false && <NothingYet onBegin={() => choose(here)} />}
        {kind !== undefined && (
          <p className={styles.only}>
            <TextButton onClick={() => follow(discoverPath({ cluster }))}>{t('discover.show-all')}</TextButton>
          </p>
        )}
        <div ref={list}>
          {groupCards(isDrawn ? cards : []).map(([group, those]) => (
            <section key={group} className={styles.group} aria-label={t(group)}>
              <h2 className={styles.heading}>{t(group)}</h2>
              <ul className={styles.cards}>
                {those.map((card) => (
                  <li key={card.id}>
                    <button
                      type="button"
                      className={styles.card}
                      data-card=""
                      data-first={typed !== '' && card === cards[0] ? '' : undefined}
                      onClick={() => choose(card)}
                    >
                      <span className={styles.tile}>
                        <Icon of={card.icon} size={20} />
                      </span>
                      <span className={styles.words}>
                        <b>{t(card.title)}</b>
                        <span>{t(card.text)}</span>
                      </span>
                    </button>
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </div>
        {cards.length === 0 && (
          <div className={styles.none}>
            <p>{t(typed === '' ? 'discover.none-several' : 'discover.none')}</p>
            <Button
              onClick={() => {
                setTyped('');
                setHowMany('one');
              }}
            >
              {t('discover.show-all')}
            </Button>
          </div>
        )}
        {isDrawn && <UnderWay user={userName} />}
      </div>
      <footer className={styles.foot}>
        <span role="status">{t('discover.count', { count: cards.length })}</span>
        <KeyHints
          align="end"
          hints={[
            { keys: ['/'], word: t('discover.key-search') },
            { keys: ['←', '→'], word: t('discover.key-move') },
            { keys: ['↵'], word: t('discover.key-choose') },
            { keys: ['S'], word: t('discover.key-several') },
          ]}
        />
      </footer>
    </div>
  );
}

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** An address that was typed instead of a kind finds every card, and goes into the form: nobody types it twice. */
function addressIn(typed: string): string | undefined {
  const text = typed.trim();
  return /^\S*[.:/]\S+$/.test(text) ? text : undefined;
}
