/** The marks of sign-in providers, drawn here in one colour and few lines: enough to find one's own button, and no file of anybody's brand. */
import IdCard from 'lucide-react/icons/id-card';
import KeyRound from 'lucide-react/icons/key-round';
import type { ComponentProps } from 'react';
import { Drawing } from './drawing.tsx';
import type { IconComponent } from './icon.tsx';

type MarkProps = ComponentProps<IconComponent>;

function Lines({ d, size = 24, className, 'aria-label': label }: MarkProps & { d: string }) {
  return (
    <Drawing
      size={size}
      label={label}
      className={className}
      fill="none"
      stroke="currentColor"
      strokeWidth={2}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={d} />
    </Drawing>
  );
}

const drawn = (d: string) => (props: MarkProps) => <Lines d={d} {...props} />;

/** By the names that connectors may ask for. */
const MARKS: Readonly<Record<string, IconComponent>> = {
  // A head with two ears.
  github: drawn(
    'M5 4v5a7.5 7.5 0 0 0-1 3.8C4 17 7.4 20 12 20s8-3 8-7.2A7.5 7.5 0 0 0 19 9V4l-4 2.3a11 11 0 0 0-6 0zM9 13v1M15 13v1',
  ),
  // A fox, from the front.
  gitlab: drawn('M12 20.5 3 13.5 5.5 4l3 6.5h7l3-6.5L21 13.5z'),
  // The letter, open to the right, with its bar.
  google: drawn('M18.5 6.2A8.7 8.7 0 1 0 20.7 12H12.5'),
  // A window of four panes.
  microsoft: drawn('M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z'),
  // A thick ring.
  okta: drawn('M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z'),
  // A shield with a star in it.
  auth0: drawn('M12 3l7.5 2.5V11c0 5-3 8-7.5 10-4.5-2-7.5-5-7.5-10V5.5zM12 8v6M9.4 9.5l5.2 3M14.6 9.5l-5.2 3'),
  // A hexagon between angle brackets.
  keycloak: drawn('M7 3.5h10l4.8 8.5-4.8 8.5H7L2.2 12zM10.5 8.5 8 12l2.5 3.5M13.5 8.5 16 12l-2.5 3.5'),
  // A barrier between two posts.
  authentik: drawn('M4 20V6h16v14M4 12h16M8.5 12v3.5M12 12v3.5M15.5 12v3.5'),
  // The figure, in a ring.
  onelogin: drawn('M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM10.2 9.6 12.5 8v8'),
  // The letter, in a square.
  ping: drawn('M4 4h16v16H4zM10 16.5v-9h2.8a2.7 2.7 0 0 1 0 5.4H10'),
};

const BY_NAME = /github|gitlab|google|microsoft|azure|entra|okta|auth0|keycloak|authentik|onelogin|ping/i;

export interface NamedProvider {
  name: string;
  displayName?: string | undefined;
  type: 'oidc' | 'saml' | 'github';
  /** What its connector asks for. */
  icon?: string | undefined;
}

/** As its connector asks, or by what it is called, where that says who it is, else by how it speaks. */
export function providerIcon({ name, displayName = '', type, icon }: NamedProvider): IconComponent {
  const asked = icon ?? (type === 'github' ? type : (BY_NAME.exec(`${name} ${displayName}`)?.[0] ?? '').toLowerCase());
  const known = /azure|entra/.test(asked) ? 'microsoft' : asked;
  return (Object.hasOwn(MARKS, known) && MARKS[known]) || (type === 'saml' ? IdCard : KeyRound);
}
