/** What is signed in as you: browsers, command lines and tokens. */
import { BrowsersSection } from './browsers-section.tsx';
import { CredentialsSection } from './credentials-section.tsx';

export function OverviewTab() {
  return (
    <>
      <BrowsersSection />
      <CredentialsSection />
    </>
  );
}
