/** Where a sign-in through a provider ends: done, or not, with what the gateway said. */
import { PAGES } from '@gatehouse/contract/pages';
import { StatusCard } from '@gatehouse/design/status-card';
import { TextLink } from '@gatehouse/design/text-link';
import { readPublicFacts } from '../public-page/public-facts.ts';
import { PublicFrame } from '../public-page/public-frame.tsx';
import { useWords } from '../words/words.ts';
import { useWorld } from '../world/world.tsx';

const LONGEST_MESSAGE = 500;

export function LoginSuccessScreen() {
  const t = useWords();
  return (
    <ResultFrame>
      <StatusCard tone="ok" title={t('login.success-title')}>
        {t('login.success-text')}
      </StatusCard>
    </ResultFrame>
  );
}

export function LoginFailedScreen() {
  const t = useWords();
  // Whoever made the link wrote the message: it is shown as text, and not at any length.
  const message = new URLSearchParams(window.location.search).get('message')?.slice(0, LONGEST_MESSAGE);
  return (
    <ResultFrame>
      <StatusCard
        tone="bad"
        title={t('login.failure-title')}
        actions={<TextLink href={PAGES.login.path}>{t('login.failure-link')}</TextLink>}
      >
        {message || t('login.failure-text')}
      </StatusCard>
    </ResultFrame>
  );
}

function ResultFrame({ children }: { children: React.ReactNode }) {
  const { version } = readPublicFacts(useWorld().pageConfig);
  return <PublicFrame version={version}>{children}</PublicFrame>;
}
