/** What is signed in as you, browsers, command lines and tokens, and who you are to sign-in providers. */
import { BrowsersSection } from './browsers-section.tsx';
import { CredentialsSection } from './credentials-section.tsx';
import { IdentitiesSection } from './identities-section.tsx';

export function OverviewTab() {
  return (
    <>
      <BrowsersSection />
      <CredentialsSection />
      <IdentitiesSection />
    </>
  );
}
