export const ContractsPage = () => null;
