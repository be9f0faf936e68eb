/** What is signed in as you, browsers, command lines, tokens and keys of ssh, and who you are to sign-in providers. */
import { BrowsersSection } from './browsers-section.tsx';
import { CredentialsSection } from './credentials-section.tsx';
import { IdentitiesSection } from './identities-section.tsx';
import { SshSection } from './ssh-section.tsx';

export function OverviewTab() {
  return (
    <>
      <BrowsersSection />
      <CredentialsSection />
      <SshSection />
      <IdentitiesSection />
    </>
  );
}
