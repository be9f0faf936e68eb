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

/** A head with two ears. */
const HEAD =
  'M5 4v5a7.5 7.5 0 0 0-1 3.8C4 17 7.4 20 12 20s8-3 8-7.2A7.5 7.5 0 0 0 19 9V4l-4 2.3a11 11 0 0 0-6 0zM9 13v1M15 13v1';
/** The letter, open to the right, with its bar. */
const LETTER = 'M18.5 6.2A8.7 8.7 0 1 0 20.7 12H12.5';
/** A window of four panes. */
const PANES = 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z';

const GitHubMark = (props: MarkProps) => <Lines d={HEAD} {...props} />;
const GoogleMark = (props: MarkProps) => <Lines d={LETTER} {...props} />;
const MicrosoftMark = (props: MarkProps) => <Lines d={PANES} {...props} />;

const BY_NAME: readonly (readonly [RegExp, IconComponent])[] = [
  [/github/i, GitHubMark],
  [/google/i, GoogleMark],
  [/microsoft|azure|entra/i, MicrosoftMark],
];

export interface NamedProvider {
  name: string;
  displayName?: string | undefined;
  type: 'oidc' | 'saml' | 'github';
}

/** By what it is called, where that says who it is, else by how it speaks. */
export function providerIcon({ name, displayName = '', type }: NamedProvider): IconComponent {
  if (type === 'github') return GitHubMark;
  const known = BY_NAME.find(([called]) => called.test(name) || called.test(displayName));
  return known?.[1] ?? (type === 'saml' ? IdCard : KeyRound);
}
