/** The screen of a page that has none yet: says so, says what it will do, leads on. */
import { PAGES } from '@gatehouse/contract/console/pages';
import { ButtonLink } from '@gatehouse/design/button-link';
import { StatusCard } from '@gatehouse/design/status-card';
import Construction from 'lucide-react/icons/construction';
import { useTranslate } from '../../platform/i18n/words.ts';
import type { ScreenProps } from '../../platform/routing/screen.ts';
import { SCREENS } from '../screens.ts';
import { StatusPage, StatusPlace } from './status-page.tsx';

export function NotBuilt({ page }: ScreenProps) {
  const t = useTranslate();
  const screen = SCREENS[page];
  const isPublic = PAGES[page].access === 'public';
  const Frame = isPublic ? StatusPage : StatusPlace;
  const wayOn = isPublic ? (
    <ButtonLink href={PAGES.login.path}>{t('login.sign-in')}</ButtonLink>
  ) : (
    <ButtonLink href={PAGES.support.path}>{t('plans.link')}</ButtonLink>
  );
  return (
    <Frame>
      <StatusCard icon={Construction} title={t('plans.title')} actions={wayOn}>
        {'plan' in screen && t(screen.plan)}
      </StatusCard>
    </Frame>
  );
}
