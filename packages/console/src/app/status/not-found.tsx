/** What an unknown address shows. */
import { PAGES } from '@gatehouse/contract/console/pages';
import { ButtonLink } from '@gatehouse/design/button-link';
import { StatusCard } from '@gatehouse/design/status-card';
import { useTranslate } from '../../platform/i18n/words.ts';
import { StatusPage, StatusPlace } from './status-page.tsx';

export function NotFound() {
  return (
    <StatusPage>
      <NotFoundCard />
    </StatusPage>
  );
}

/** Within the shell, for whoever is signed in. */
export function NotFoundHere() {
  return (
    <StatusPlace>
      <NotFoundCard />
    </StatusPlace>
  );
}

function NotFoundCard() {
  const t = useTranslate();
  return (
    <>
      <title>{t('common.not-found-title')}</title>
      <StatusCard
        tone="warn"
        title={t('common.not-found-title')}
        actions={<ButtonLink href={PAGES.root.path}>{t('common.go-home')}</ButtonLink>}
      >
        {t('common.not-found-text')}
      </StatusCard>
    </>
  );
}
