export { Breakable } from './breakable.tsx';
export { Button, ButtonLink, IconButton, Spinner } from './button.tsx';
export {
  Checkbox,
  Input,
  PasswordInput,
  type RadioCard,
  RadioCards,
  Select,
  Switch,
  Textarea,
} from './controls.tsx';
export { CopyButton, downloadText, Id, SecretOnce } from './copy.tsx';
export { ConfirmDialog, Dialog } from './dialog.tsx';
export { Empty, Skeleton } from './empty.tsx';
export { ExternalLink, openTab } from './external-link.tsx';
export { Fault, messageOf } from './fault.tsx';
export { FilterInput, FilterSelect, Filters, StatusFilter } from './filters.tsx';
export { Field, Form, FormActions } from './form.tsx';
export { count, formatBytes, formatNumber, upperFirst } from './format.ts';
export { PlanGate, RoleGate, useGate } from './gate.tsx';
export { Listing, Loaded, LoadedPage, useCursorList } from './list.tsx';
export { Markdown, MarkdownLine } from './markdown.tsx';
export { Menu, MenuChoice, MenuItem, MenuLabel, MenuLink, MenuSeparator } from './menu.tsx';
export { Card, Facts, Notice, PageHeader, Section, usePageTitle } from './page.tsx';
export { useOpenParam, useSearchParam } from './search-param.ts';
export { Badge, Progress, Status, type Tone } from './status.tsx';
export { type Column, NONE, Table } from './table.tsx';
export { type Tab, Tabs } from './tabs.tsx';
export { Ago, Day, ExactTime, Time, useNow } from './time.tsx';
export { toast } from './toaster.tsx';
export { Tooltip } from './tooltip.tsx';
export { useTheme } from './use-theme.ts';
