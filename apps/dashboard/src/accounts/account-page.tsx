import { PageHeader } from '../ui/index.ts';

export const Page = () => <PageHeader title="accounts account" />;
