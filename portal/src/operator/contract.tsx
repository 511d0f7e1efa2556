export const ContractPage = () => null;
