/** Which picture an application has: the one it was given, one that its name tells, or none, and then its first letter. */
import type { IconComponent } from '@gatehouse/design/icon';
import BookOpen from 'lucide-react/icons/book-open';
import Boxes from 'lucide-react/icons/boxes';
import Calendar from 'lucide-react/icons/calendar';
import ChartLine from 'lucide-react/icons/chart-line';
import Cloud from 'lucide-react/icons/cloud';
import Code from 'lucide-react/icons/code';
import Database from 'lucide-react/icons/database';
import Folder from 'lucide-react/icons/folder';
import House from 'lucide-react/icons/house';
import KeyRound from 'lucide-react/icons/key-round';
import Mail from 'lucide-react/icons/mail';
import MessageSquare from 'lucide-react/icons/message-square';
import Network from 'lucide-react/icons/network';
import Receipt from 'lucide-react/icons/receipt';
import Search from 'lucide-react/icons/search';
import ShieldCheck from 'lucide-react/icons/shield-check';
import Ticket from 'lucide-react/icons/ticket';
import Users from 'lucide-react/icons/users';
import Video from 'lucide-react/icons/video';
import Workflow from 'lucide-react/icons/workflow';

interface Picture {
  icon: IconComponent;
  /** Beginnings of the parts of names that mean it. */
  means: readonly string[];
}

/** The words are what an application's `icon` may say. Drawn for what it does: the marks of makers are theirs. */
export const PICTURES = {
  chart: {
    icon: ChartLine,
    means: [
      'grafana',
      'prometheus',
      'kibana',
      'metric',
      'monitor',
      'dash',
      'stat',
      'graph',
      'metabase',
      'superset',
      'sentry',
    ],
  },
  code: { icon: Code, means: ['git', 'gitlab', 'gitea', 'code', 'dev', 'ide', 'sonar', 'jupyter'] },
  build: { icon: Workflow, means: ['jenkins', 'argo', 'ci', 'build', 'deploy', 'airflow', 'drone', 'flow', 'rabbit'] },
  packages: { icon: Boxes, means: ['nexus', 'registry', 'harbor', 'artifact', 'package', 'kube', 'docker'] },
  database: { icon: Database, means: ['db', 'postgres', 'mysql', 'mongo', 'redis', 'sql', 'adminer', 'elastic'] },
  docs: { icon: BookOpen, means: ['wiki', 'doc', 'confluence', 'book', 'notes', 'handbook', 'outline', 'wordpress'] },
  tickets: { icon: Ticket, means: ['jira', 'ticket', 'issue', 'help', 'support', 'redmine', 'zammad'] },
  chat: { icon: MessageSquare, means: ['chat', 'matrix', 'mattermost', 'rocket', 'message', 'slack'] },
  mail: { icon: Mail, means: ['mail', 'smtp', 'imap', 'newsletter'] },
  files: { icon: Folder, means: ['file', 'nextcloud', 'share', 'storage', 'minio', 's3', 'drive'] },
  cloud: { icon: Cloud, means: ['aws', 'cloud', 'azure', 'gcp', 'console'] },
  people: { icon: Users, means: ['people', 'hr', 'team', 'user', 'crm', 'directory'] },
  money: { icon: Receipt, means: ['bill', 'invoice', 'erp', 'pay', 'shop', 'odoo'] },
  secrets: { icon: KeyRound, means: ['vault', 'secret', 'pass', 'keycloak', 'sso', 'login'] },
  security: { icon: ShieldCheck, means: ['security', 'siem', 'scan', 'audit', 'firewall'] },
  network: { icon: Network, means: ['net', 'router', 'switch', 'dns', 'pihole', 'unifi', 'proxy', 'vpn', 'nginx'] },
  calendar: { icon: Calendar, means: ['cal', 'booking', 'rooms', 'schedule'] },
  search: { icon: Search, means: ['search', 'logs', 'splunk', 'loki'] },
  video: { icon: Video, means: ['video', 'meet', 'jitsi', 'cam', 'stream'] },
  home: { icon: House, means: ['home', 'intranet', 'portal', 'start'] },
} as const satisfies Record<string, Picture>;

export type PictureName = keyof typeof PICTURES;
export const pictureNames = Object.keys(PICTURES) as PictureName[];

export function pictureOf({ name, icon }: { name: string; icon: string }): IconComponent | undefined {
  if (isPicture(icon)) return PICTURES[icon].icon;
  const parts = `${icon}-${name}`.split(/[^a-z0-9]+/).filter((part) => part !== '');
  const found = pictureNames.find((each) =>
    parts.some((part) => PICTURES[each].means.some((word) => fits(part, word))),
  );
  return found && PICTURES[found].icon;
}

/** Short words stand for themselves: "ci" is not in "city". */
function fits(part: string, word: string): boolean {
  return word.length > 3 ? part.startsWith(word) : part === word;
}

function isPicture(word: string): word is PictureName {
  return Object.hasOwn(PICTURES, word);
}
