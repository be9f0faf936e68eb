/** Invite and reset links: who opens one sets their credentials and is signed in. */

import { PAGES, type PageName } from '@gatehouse/contract/console/pages';
import { Button } from '@gatehouse/design/button';
import { ButtonLink } from '@gatehouse/design/button-link';
import { Spinner } from '@gatehouse/design/spinner';
import { StatusCard } from '@gatehouse/design/status-card';
import RotateCw from 'lucide-react/icons/rotate-cw';
import { useCallback, useEffect, useState } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { fetchForAction } from '../../platform/code/fetch-code.ts';
import { failureWords } from '../../platform/failures/failure-words.ts';
import { useTranslate, type WordId } from '../../platform/i18n/words.ts';
import { publicPageParams } from '../../platform/routing/page-params.ts';
import { readPublicFacts } from '../../shared/public-page/public-facts.ts';
import { PublicColumn, PublicFrame } from '../../shared/public-page/public-frame.tsx';
import type { Link } from './invite-calls.ts';
import { type LinkReason, linkReason } from './link-reason.ts';
import { SetupFlow } from './setup-flow.tsx';

type State = { link: Link } | { failure: unknown } | 'reading';

const TITLES: Record<Link['type'], WordId> = {
  invite: 'invite.title-invite',
  password: 'invite.title-reset',
  recovery: 'invite.title-recovery',
};

export function InviteScreen({ page }: { page: PageName }) {
  const t = useTranslate();
  const browser = useBrowser();
  const facts = readPublicFacts(browser.pageConfig);
  const { tokenId } = publicPageParams('invite');
  const [state, setState] = useState<State>('reading');

  const read = useCallback(() => {
    setState('reading');
    fetchForAction(() => import('./invite-calls.ts'))
      .then(({ readLink }) => readLink(browser.send, tokenId))
      .then(
        (link) => setState({ link }),
        (failure: unknown) => setState({ failure }),
      );
  }, [browser.send, tokenId]);
  useEffect(read, [read]);

  return (
    <PublicFrame version={facts.version}>
      {state === 'reading' && <Spinner size="large" />}
      {typeof state === 'object' && 'failure' in state && <LinkRefused failure={state.failure} onRetry={read} />}
      {typeof state === 'object' && 'link' in state && (
        <PublicColumn
          title={t(TITLES[state.link.type])}
          lead={t('invite.whose', { user: state.link.user, cluster: facts.cluster })}
        >
          <SetupFlow page={page} link={state.link} facts={facts} onRefused={(failure) => setState({ failure })} />
        </PublicColumn>
      )}
    </PublicFrame>
  );
}

const REASONS: Record<LinkReason, readonly [WordId, WordId]> = {
  unknown: ['invite.unknown-title', 'invite.unknown-text'],
  used: ['invite.used-title', 'invite.used-text'],
  expired: ['invite.expired-title', 'invite.expired-text'],
};

function LinkRefused({ failure, onRetry }: { failure: unknown; onRetry: () => void }) {
  const t = useTranslate();
  const reason = linkReason(failure);
  if (reason === undefined) {
    return (
      <StatusCard
        tone="bad"
        title={t('invite.failed-title')}
        actions={
          <Button icon={RotateCw} onClick={onRetry}>
            {t('common.try-again')}
          </Button>
        }
      >
        {failureWords(t, failure)}
      </StatusCard>
    );
  }
  const [title, text] = REASONS[reason];
  return (
    <StatusCard
      tone="warn"
      title={t(title)}
      actions={<ButtonLink href={PAGES.login.path}>{t('invite.to-login')}</ButtonLink>}
    >
      {t(text)}
    </StatusCard>
  );
}
