export type { AccountService } from './accounts.ts';
export { createAccountService } from './accounts.ts';
export { ensureOperator, type FirstOperator } from './first-start.ts';
export { hashPassword, matchesPassword } from './password.ts';
export {
  type Claims,
  createProvider,
  type Pending,
  type Provider,
  ProviderError,
  type ProviderSettings,
} from './provider.ts';
export { createSingleSignOn, noSingleSignOn, type SingleSignOn } from './single-sign-on.ts';
export {
  createResetLink,
  createUser,
  findUserByEmail,
  listUsers,
  type NewAccount,
  prepareUser,
  setDisabled,
  setOperator,
} from './users.ts';
