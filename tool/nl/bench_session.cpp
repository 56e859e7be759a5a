// SPDX-License-Identifier: GPL-2.0-only
#include "bench_session.h"

#include "bench_codec.h"
#include "exchange.h"

namespace iovatune::nl {

BenchSession::BenchSession() : family_(look_up(socket_, IOVATUNE_BENCH_FAMILY_NAME, bench_module))
{}

Message BenchSession::message_of(std::uint8_t command, const std::optional<std::string> &name,
				 int flags) const
{
	Message message(family_.id, command, IOVATUNE_BENCH_FAMILY_VERSION, flags,
			bench_run_attributes(), bench_module);

	if (name)
		message.put(IOVATUNE_BENCH_A_RUN_DEV, *name);
	return message;
}

std::vector<BenchDevice> BenchSession::dev_dump()
{
	const Message message(family_.id, IOVATUNE_BENCH_CMD_DEV_GET, IOVATUNE_BENCH_FAMILY_VERSION,
			      NLM_F_DUMP, bench_dev_attributes(), bench_module);

	return consistent_dump<BenchDevice>(socket_, message, decode_bench_device);
}

void BenchSession::run_start(const BenchRequest &request)
{
	auto message = message_of(IOVATUNE_BENCH_CMD_RUN_START, std::nullopt);

	encode_request(message, request);
	socket_.request(message, ignore);
}

void BenchSession::run_stop(const std::optional<std::string> &name)
{
	socket_.request(message_of(IOVATUNE_BENCH_CMD_RUN_STOP, name), ignore);
}

BenchCounts BenchSession::run_get(const std::optional<std::string> &name)
{
	return request_one<BenchCounts>(socket_, message_of(IOVATUNE_BENCH_CMD_RUN_GET, name),
					decode_bench_counts);
}

std::vector<BenchCounts> BenchSession::run_dump(const std::optional<std::string> &name)
{
	return consistent_dump<BenchCounts>(
		socket_, message_of(IOVATUNE_BENCH_CMD_RUN_GET, name, NLM_F_DUMP),
		decode_bench_counts);
}

} // namespace iovatune::nl
