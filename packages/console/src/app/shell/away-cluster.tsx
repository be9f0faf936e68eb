/** A cluster that cannot be looked at: gone, not connected, or with no role for its visitor there. */
import { pagePath } from '@gatehouse/contract/console/pages';
import { Button } from '@gatehouse/design/button';
import { StatusCard } from '@gatehouse/design/status-card';
import { useToast } from '@gatehouse/design/toast';
import { useNavigate } from '@tanstack/react-router';
import RotateCw from 'lucide-react/icons/rotate-cw';
import Unplug from 'lucide-react/icons/unplug';
import { useEffect, useRef } from 'react';
import { usePreference } from '../../platform/browser/preferences.ts';
import { failureWords, refusalOf } from '../../platform/failures/failure-words.ts';
import { type Translate, useTranslate } from '../../platform/i18n/words.ts';
import { useCurrentPage, useFollow } from '../../platform/routing/routing.tsx';
import { usePageConfig } from '../../platform/sign-in/user.ts';

interface AwayClusterProps {
  clusterId: string;
  error: unknown;
  onRetry: () => void;
}

/** In place of one of its pages. */
export function AwayCluster({ clusterId, error, onRetry }: AwayClusterProps) {
  const t = useTranslate();
  const follow = useFollow();
  const own = usePageConfig().proxyCluster;
  return (
    <StatusCard
      tone="warn"
      icon={Unplug}
      title={t('clusters.away-title', { cluster: clusterId })}
      actions={
        <>
          <Button icon={RotateCw} onClick={onRetry}>
            {t('common.try-again')}
          </Button>
          <Button onClick={() => follow(pagePath('cluster', { clusterId: own }))}>
            {t('clusters.away-home', { cluster: own })}
          </Button>
        </>
      }
    >
      <p>{whyAway(t, clusterId, error)}</p>
    </StatusCard>
  );
}

/** The one that was looked at last: this gateway's own is shown instead, and one line says why. */
export function ForgetCluster({ clusterId, error }: Omit<AwayClusterProps, 'onRetry'>) {
  const t = useTranslate();
  const toast = useToast();
  const navigate = useNavigate();
  const own = usePageConfig().proxyCluster;
  const [, remember] = usePreference('cluster');
  const isLedThere = useCurrentPage()?.name === 'cluster';
  const isTold = useRef(false);
  useEffect(() => {
    if (isTold.current) return;
    isTold.current = true;
    remember(undefined);
    toast.show({ tone: 'warn', title: t('clusters.away-back', { cluster: own }), text: whyAway(t, clusterId, error) });
    if (isLedThere) void navigate({ to: pagePath('cluster', { clusterId: own }), replace: true });
  });
  return null;
}

/** Of one that is not there the gateway says only that it was asked in vain. */
function whyAway(t: Translate, cluster: string, error: unknown): string {
  const isUnknown = ['bad_request', 'not_found'].includes(refusalOf(error)?.code ?? '');
  return isUnknown ? t('clusters.away-unknown', { cluster }) : failureWords(t, error);
}
