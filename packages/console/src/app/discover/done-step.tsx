/** It is there: open it now, enrol another like it, or let a role reach it. */

import { pagePath } from '@gatehouse/contract/console/pages';
import { Button } from '@gatehouse/design/button';
import { ButtonLink } from '@gatehouse/design/button-link';
import { Icon } from '@gatehouse/design/icon';
import CircleCheck from 'lucide-react/icons/circle-check';
import { Suspense } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useFollow } from '../../platform/routing/routing.tsx';
import { useOwnUser } from '../../platform/sign-in/user.ts';
import { discoverPath } from '../../shared/discover-path/discover-path.ts';
import type { FlowCode } from '../../shared/enrolment/flow.ts';
import { useFlow } from '../../shared/enrolment/flow-place.tsx';
import { beginFlow } from '../../shared/enrolment/kept-flows.ts';
import { StepBody, StepFoot } from '../../shared/enrolment/step-parts.tsx';
import { tellStarted } from './discover-events.ts';
import styles from './flow-screen.module.css';
import { likeThis } from './like-this.ts';

export function DoneStep({ code: { Open } }: { code: FlowCode }) {
  const t = useTranslate();
  const follow = useFollow();
  const { userName, userAcl } = useOwnUser();
  const { clusterId, card, kept, thing } = useFlow();
  if (!thing) return null;
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
          <b>{thing.name}</b>
          <span className={styles.doneEnd}>
            <Suspense>
              <Open clusterId={clusterId} id={thing.id} />
            </Suspense>
          </span>
        </div>
        {userAcl.roles.create && (
          <section className={styles.more}>
            <h3>{t('discover.give-access')}</h3>
            <p>{t('discover.give-access-text')}</p>
            <div>
              <ButtonLink href={pagePath('roles')}>{t('discover.open-roles')}</ButtonLink>
            </div>
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
