/** It is there: open it now, look at it in its list, enrol another like it, or let a role reach it. */
import { pagePath } from '@gatehouse/contract/console/pages';
import { factsOf } from '@gatehouse/contract/kinds/kinds';
import { Button } from '@gatehouse/design/button';
import { Icon } from '@gatehouse/design/icon';
import { textLinkClass } from '@gatehouse/design/text-link';
import CircleCheck from 'lucide-react/icons/circle-check';
import { Suspense } from 'react';
import { lazyPart } from '../../platform/i18n/lazy-part.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { PathLink, useFollow } from '../../platform/routing/routing.tsx';
import { useOwnUser, usePageConfig } from '../../platform/sign-in/user.ts';
import { discoverPath } from '../../shared/discover-path/discover-path.ts';
import type { FlowCode } from '../../shared/enrolment/flow.ts';
import { useFlow } from '../../shared/enrolment/flow-place.tsx';
import { beginFlow } from '../../shared/enrolment/kept-flows.ts';
import { StepBody, StepFoot } from '../../shared/enrolment/step-parts.tsx';
import { tellStarted } from './discover-events.ts';
import styles from './flow-screen.module.css';
import { likeThis } from './like-this.ts';

/** What a change would do is worded by the screens of roles, and their documents are read as those do. */
const GiveAccess = lazyPart(() => import('./give-access.tsx').then((file) => file.GiveAccess), ['roles', 'effects']);

export function DoneStep({ code: { Open } }: { code: FlowCode }) {
  const t = useTranslate();
  const follow = useFollow();
  const { userName, userAcl } = useOwnUser();
  const { clusterId, kind, card, kept, thing } = useFlow();
  // What a leaf has is reached by the leaf's own roles, which are edited there.
  const isOwn = clusterId === usePageConfig().proxyCluster;
  if (!thing) return null;
  const mayGive = isOwn && (userAcl.roles.create || (userAcl.roles.list && userAcl.roles.edit));
  const again = () => {
    const run = beginFlow(userName, card.id, 'where', likeThis(kept));
    tellStarted({ run, resource: card.resource });
    follow(discoverPath({ flow: card.id }));
  };
  return (
    <>
      <StepBody title={t('discover.done-title', { name: thing.name })} lead={t('discover.done-lead')}>
        <div className={styles.done}>
          <Icon of={CircleCheck} size={20} className={styles.ok} />
          <b>
            <PathLink
              className={textLinkClass}
              path={`${pagePath(factsOf(kind).path, { clusterId })}?open=${encodeURIComponent(thing.id)}`}
            >
              {thing.name}
            </PathLink>
          </b>
          <span className={styles.doneEnd}>
            <Suspense>
              <Open clusterId={clusterId} id={thing.id} />
            </Suspense>
          </span>
        </div>
        {mayGive && (
          <section className={styles.more} aria-label={t('discover.give-access')}>
            <h3>{t('discover.give-access')}</h3>
            <p>{t('discover.give-access-text')}</p>
            <Suspense>
              <GiveAccess />
            </Suspense>
          </section>
        )}
      </StepBody>
      <StepFoot>
        <Button onClick={again}>{t('discover.again')}</Button>
        <Button onClick={() => follow(discoverPath())}>{t('discover.something-else')}</Button>
      </StepFoot>
    </>
  );
}
